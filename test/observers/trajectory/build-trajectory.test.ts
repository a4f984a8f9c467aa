import { readdirSync } from "node:fs";
import { join } from "node:path";
import { validateTrajectory } from "agent-trajectories";
import { expect, test } from "vitest";
import type { EventData, JournalEvent } from "../../../src/contracts/events/event.ts";
import type { RunCreated } from "../../../src/contracts/events/run-events.ts";
import { trajectorySchema } from "../../../src/contracts/trajectory.ts";
import {
  buildTrajectory,
  DEFAULT_TRAJECTORY,
} from "../../../src/observers/trajectory/build-trajectory.ts";
import { recordedIn } from "../../recorded/recorded-run.ts";

const SUFFIX = ".jsonl.gz";
const recordings = readdirSync(join(import.meta.dirname, "../../recorded/runs"))
  .filter((name) => name.endsWith(SUFFIX))
  .map((name) => name.slice(0, -SUFFIX.length));

const CREATED: RunCreated = {
  type: "run-created",
  workflow: "feature",
  instance: "default",
  definitionHash: "h",
  ...{ program: "pattern/consensus", seed: "5eed", troupe: "0.1.0", cwd: "/p", limits: {} },
  task: "Ship it\nby Friday",
};

function tell(data: readonly EventData[], spec = DEFAULT_TRAJECTORY) {
  const events = data.map(
    (event, index): JournalEvent => ({ ...event, seq: index + 1, at: 1000 * (index + 1) }),
  );
  return buildTrajectory(events, "run_a", spec);
}

const ended = (outcome: "completed" | "failed", reason: string): EventData => ({
  type: "run-ended",
  outcome,
  reason,
  resumable: false,
  exitCode: 0,
  durationMs: 90_000,
  result: "the result",
});

const said = (agent: string, kind: string, said: string | number): EventData => ({
  type: "signal-received",
  agent,
  turn: 1,
  counted: true,
  signal: {
    kind,
    by: "text",
    value: String(said),
    ...(typeof said === "number" ? { confidence: said } : {}),
  },
});

const advanced = (
  kind: string,
  data: { readonly [key: string]: string | number | boolean },
): EventData => ({ type: "pattern-advanced", note: "n", kind, data });

test.each(recordings)(
  "%s is valid for agent-trajectories and for us after every tenth of its events [TRJ-1.files]",
  (name) => {
    for (const { run, events } of recordedIn("/elsewhere", name))
      for (let part = 1; part <= 10; part += 1) {
        const until = Math.max(1, Math.round((events.length * part) / 10));
        const trajectory = buildTrajectory(events.slice(0, until), run, DEFAULT_TRAJECTORY);
        expect(validateTrajectory(trajectory)).toMatchObject({ success: true });
        expect(trajectorySchema.parse(JSON.parse(JSON.stringify(trajectory)))).toEqual(trajectory);
        const times = trajectory.chapters.map(({ startedAt }) => startedAt);
        expect(times).toEqual(times.toSorted());
      }
  },
);

test("every execution of a step, and every agent that works outside of steps, has a chapter of its own [TRJ-2]", () => {
  const step = { id: "code", path: "code", execution: 2, attempt: 1 };
  const noted = { note: "n", step: "code", path: "code", attempt: 1, agent: "coder" };
  const turn = { turn: 1, attempt: 1, session: "s", key: "k", items: [] };
  const { chapters } = tell([
    CREATED,
    { type: "step-started", execution: 1, ...noted },
    {
      type: "step-failed",
      execution: 1,
      ...noted,
      durationMs: 1,
      error: { code: "X", message: "no tests" },
    },
    { type: "step-started", execution: 2, ...noted },
    { type: "turn-started", agent: "coder", ...turn, step },
    { type: "tool-called", agent: "coder", turn: 1, call: "c", tool: "Bash", input: "ls" },
    { type: "turn-started", agent: "critic", ...turn },
    said("critic", "ack", "on it"),
    {
      type: "step-completed",
      execution: 2,
      ...noted,
      output: "coded",
      reason: "exit",
      durationMs: 1,
    },
    ended("completed", "1 of 1 steps done"),
  ]);
  expect(
    chapters.map(({ title, agentName, events }) => [
      title,
      agentName,
      events.map(({ type }) => type),
    ]),
  ).toEqual([
    ["The run", "workflow-orchestrator", ["prompt", "completion-marker"]],
    ["code", "coder", ["error"]],
    ["code (2)", "coder", ["tool_call", "completion-evidence"]],
    ["What critic does", "critic", ["message_received"]],
  ]);
  expect(chapters.map(({ endedAt }) => Date.parse(endedAt ?? ""))).toEqual([
    10_000, 3000, 9000, 10_000,
  ]);
});

test("what patterns and people decide is told as decisions, with what it was chosen from and why [TRJ-2]", () => {
  const { retrospective, chapters } = tell([
    CREATED,
    advanced("handoff", { from: "a", to: "b", reason: "it is a bill", by: "signal", left: 1 }),
    advanced("decision", { decision: "approved", approve: 2, reject: 0, cast: 2, quorum: 2 }),
    {
      type: "approval-requested",
      approval: "ap1",
      message: "Release 2.0?",
      hash: "h",
    },
    { type: "approval-resolved", approval: "ap1", decision: "rejected", by: "user" },
    { type: "question-asked", id: "q1", agent: "a", text: "Which day?" },
    { type: "question-answered", id: "q1", answer: "Friday", by: "user" },
    { type: "turn-completed", agent: "a", turn: 1, text: "x", stopReason: "end_turn", signals: [] },
    ended("completed", "done"),
  ]);
  const decisions = [
    {
      question: "Who goes on after a?",
      chosen: "b",
      alternatives: [],
      reasoning: "it is a bill",
    },
    {
      question: "What do the agents decide?",
      chosen: "approved",
      alternatives: ["rejected", "undecided"],
      reasoning: "approved: 2 to 0, 2 votes, 2 needed",
    },
    {
      question: "Release 2.0?",
      chosen: "rejected",
      alternatives: ["approved"],
      reasoning: "by user",
    },
    { question: "Which day?", chosen: "Friday", alternatives: [], reasoning: "by user" },
  ];
  expect(retrospective?.decisions).toEqual(decisions);
  const told = chapters.flatMap(({ events }) => events.filter(({ type }) => type === "decision"));
  expect(told.map(({ raw }) => raw)).toEqual(decisions);
});

test("the confidence is the mean of what agents said of theirs, else the share of what was tried that succeeded [TRJ-2]", () => {
  const told = tell([
    CREATED,
    said("a", "done", 0.7),
    said("b", "done", 0.9),
    ended("completed", "done"),
  ]);
  expect(told.retrospective).toMatchObject({
    summary: "the result",
    confidence: 0.8,
    timeSpent: "1m30s",
  });
  const failed = { code: "X", message: "it broke" };
  const tried = tell([
    CREATED,
    { type: "turn-failed", agent: "a", turn: 1, error: failed },
    { type: "turn-completed", agent: "a", turn: 2, text: "x", stopReason: "end_turn", signals: [] },
    ended("completed", "done"),
  ]);
  expect(tried.retrospective?.confidence).toBe(0.5);
  expect(tell([CREATED, ended("completed", "done")]).retrospective).toBeUndefined();
});

test("a run that did not complete is abandoned with its reason and what stood in its way [TRJ-2]", () => {
  const { status, chapters, retrospective } = tell([
    CREATED,
    said("a", "blocked", "no key"),
    said("a", "reflect", "ask for keys first"),
    { type: "turn-failed", agent: "a", turn: 1, error: { code: "X", message: "it broke" } },
    ended("failed", "a is blocked"),
  ]);
  expect(status).toBe("abandoned");
  const contents = chapters.flatMap(({ events }) => events.map(({ content }) => content));
  expect(contents.at(-1)).toBe("Abandoned: failed: a is blocked");
  expect(retrospective).toMatchObject({
    summary: "failed: a is blocked",
    challenges: ["a is blocked: no key"],
    learnings: ["ask for keys first"],
    confidence: 0,
  });
});

test("what agents say and think of the work is left out where the workflow says so [TRJ-5]", () => {
  const events = [CREATED, said("a", "ack", "fine"), said("a", "reflect", "go on")];
  const types = (spec: Partial<typeof DEFAULT_TRAJECTORY>) =>
    tell(events, { ...DEFAULT_TRAJECTORY, ...spec }).chapters[0]?.events.map(({ type }) => type);
  expect(types({})).toEqual(["prompt", "message_received", "reflection"]);
  expect(types({ autoRecordMessages: false })).toEqual(["prompt", "reflection"]);
  expect(types({ autoRecordReflections: false })).toEqual(["prompt", "message_received"]);
});

test("a run that goes on after its end is active again, and its last end counts [TRJ-2]", () => {
  const over = [CREATED, ended("failed", "at its limit")];
  const again = [...over, { type: "run-resumed", epoch: 2 } as const];
  expect(tell(over)).toMatchObject({
    status: "abandoned",
    completedAt: "1970-01-01T00:00:02.000Z",
  });
  expect(tell(again)).toMatchObject({ status: "active" });
  const whole = tell([...again, ended("completed", "done")]);
  expect(whole).toMatchObject({ status: "completed", completedAt: "1970-01-01T00:00:04.000Z" });
  expect(whole.chapters[0]?.endedAt).toBe("1970-01-01T00:00:04.000Z");
});

test("the task is the title by its first line, and whole below it; every run has an id of its own [TRJ-2]", () => {
  const trajectory = tell([CREATED], {
    ...DEFAULT_TRAJECTORY,
    agentName: "conductor",
    taskSource: { system: "github", id: "7", url: "https://example.com/7" },
  });
  expect(trajectory).toMatchObject({
    task: {
      title: "Ship it",
      description: "Ship it\nby Friday",
      source: { system: "github", id: "7", url: "https://example.com/7" },
    },
    agents: [{ name: "conductor", role: "lead" }],
    workflowId: "run_a",
    tags: ["troupe", "feature"],
  });
  expect(trajectory.id).toMatch(/^traj_[0-9a-f]{12}$/);
  expect(tell([{ ...CREATED, seed: "other" }]).id).not.toBe(trajectory.id);
});
