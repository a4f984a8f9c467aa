import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Json } from "../../src/foundation/json.ts";
import { openDoor } from "../mcp/door.ts";
import { startChat } from "./agents/chat-run.ts";
import { call, createProject } from "./fake-io.ts";
import { onlyTrajectory, USUAL } from "./trail-project.ts";
import { finishWaiting, startWaiting } from "./waiting-run.ts";

const ABOVE = { family: "f1", run: "run_above1" };

/** A run of a workflow that keeps a trajectory, in which one agent records. */
function recordingProject(): string {
  const calls = [
    '{ call: { tool: record, arguments: { kind: decision, text: steel, question: "What of?", reasoning: it lasts, alternatives: [wood], confidence: 0.8 } } }',
    "{ call: { tool: record, arguments: { kind: finding, text: the soil is wet } } }",
    "{ call: { tool: record, arguments: { kind: reflection, text: we are slow } } }",
  ];
  return createProject({
    "told.yaml": `version: "1.0"
name: told
pattern: pipeline
agents: [{ id: builder, backend: script, script: [{ do: [${calls.join(", ")}], say: "DONE: built" }] }]
steps: [{ id: build, agent: builder }]
trajectory: { autoRecordReflections: false }
`,
  });
}

async function waiting(): Promise<{ readonly cwd: string; readonly run: string }> {
  const cwd = createProject({});
  const run = await startWaiting(cwd, async (context) => ({
    ...(await context.approval({ message: "Go on?", step: "ask" })),
  }));
  return { cwd, run };
}

async function told(cwd: string, run: string) {
  const { out } = await call(cwd, ["trail", "show", run, "--json"]);
  const { trajectory } = JSON.parse(out);
  const events: readonly { readonly type: string; readonly content: string }[] =
    trajectory.chapters.flatMap(({ events }: { readonly events: readonly object[] }) => events);
  return events
    .filter(({ type }) => ["decision", "finding", "reflection"].includes(type))
    .map(({ type, content }) => [type, content]);
}

test("what an agent records stands in the trajectory: with who said it, in the chapter of its step, and in the retrospective [TRJ-3.record]", async () => {
  const cwd = recordingProject();
  expect(await call(cwd, ["run", "told.yaml", "a bridge"])).toMatchObject({ exitCode: 0 });
  const { trajectory } = onlyTrajectory(join(cwd, USUAL));
  const decision = {
    ...{ question: "What of?", chosen: "steel", reasoning: "builder: it lasts" },
    ...{ alternatives: ["wood"], confidence: 0.8 },
  };
  const chapter = trajectory.chapters.find(({ title }) => title === "build");
  expect(chapter?.events).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: "decision", content: "What of?: steel", raw: decision }),
      expect.objectContaining({ type: "finding", content: "builder: the soil is wet" }),
      expect.objectContaining({ type: "reflection", content: "builder: we are slow" }),
    ]),
  );
  expect(trajectory.retrospective).toMatchObject({
    decisions: [decision],
    learnings: ["the soil is wet", "we are slow"],
  });
});

test("a person adds to a run that goes on, over its socket, and the run says so at once [TRJ-3.record]", async () => {
  const { cwd, io } = await startChat([]);
  const line = ["trail", "decision", "SQLite", "--reasoning", "one file", "-a", "a server, files"];
  const added = await call(cwd, [...line, "--question", "Which store?", "-c", "0.9"]);
  expect(added).toMatchObject({ exitCode: 0, err: "" });
  const run = /^decision recorded in (run_\w{6})\n$/.exec(added.out)?.[1] ?? "";
  await io.seen("decision: Which store?: SQLite: one file");
  const reflected = await call(cwd, ["trail", "reflect", "-", "--run", run, "--json"], {
    input: "all is well\n",
  });
  expect(JSON.parse(reflected.out)).toEqual({ v: 1, recorded: "reflection", run });
  expect(await told(cwd, run)).toEqual([
    ["decision", "Which store?: SQLite"],
    ["reflection", "user: all is well"],
  ]);
  const shown = await call(cwd, ["trail", "show", run, "--decisions"]);
  for (const text of ["Which store?", "a server, files", "user: one file"])
    expect(shown.out).toContain(text);
});

test("to a run that nobody carries out it is added at once, without known secrets, and the run goes on with it [TRJ-3.record, AGT-11]", async () => {
  const { cwd, run } = await waiting();
  const env = { SHOP_TOKEN: "a-very-secret-word" };
  const line = ["trail", "finding", "the key is a-very-secret-word", "--run", run];
  expect(await call(cwd, line, { env })).toMatchObject({ exitCode: 0 });
  expect(await told(cwd, run)).toEqual([["finding", "user: the key is ***"]]);
  const directory = join(cwd, ".troupe/runs", run);
  for (const file of readdirSync(directory).filter((name) => name.startsWith("journal.db")))
    expect(readFileSync(join(directory, file), "latin1")).not.toContain("a-very-secret-word");
  await call(cwd, ["approve", "--run", run]);
  await finishWaiting(cwd, async (context) => ({
    ...(await context.approval({ message: "Go on?", step: "ask" })),
  }));
  expect(await told(cwd, run)).toEqual([
    ["finding", "user: the key is ***"],
    ["decision", "Go on?: approved"],
  ]);
});

test("nothing is added to a run that is over [TRJ-3.record]", async () => {
  const cwd = recordingProject();
  await call(cwd, ["run", "told.yaml", "a bridge"]);
  const { exitCode, err } = await call(cwd, ["trail", "finding", "late", "--run", "@last"]);
  expect({ exitCode, isTold: err.includes("error[RUN_RECORD_TOO_LATE]") }).toEqual({
    ...{ exitCode: 2, isTold: true },
  });
});

test("what a process of an agent records goes to its own run, as that agent, whatever is typed [TRJ-3.record]", async () => {
  const { letIn } = openDoor();
  const calls: { readonly tool: string; readonly input: Json }[] = [];
  const { token, socketPath } = await letIn("ada", {
    reach: "socket",
    call: async (tool, input) => {
      calls.push({ tool, input });
      return { recorded: true };
    },
  });
  const env = { TROUPE_CONTEXT_TOKEN: token, TROUPE_CONTEXT_SOCKET: socketPath };
  const { cwd } = await waiting();
  const lines = [
    [
      "decision",
      "steel",
      "--alternatives",
      "wood, tin",
      "--confidence",
      "0.5",
      "--run",
      "run_above1",
    ],
    ["reflect", "slow", "-f", "pace", "--adjustments", "two shifts"],
  ];
  for (const line of lines)
    expect(await call(cwd, ["trail", ...line], { above: ABOVE, env })).toMatchObject({
      ...{ exitCode: 0, err: "", out: expect.stringMatching(/^(decision|reflection) recorded\n$/) },
    });
  const alternatives = ["wood", "tin"];
  const adjustments = "two shifts";
  expect(calls).toEqual([
    { tool: "record", input: { kind: "decision", text: "steel", alternatives, confidence: 0.5 } },
    {
      tool: "record",
      input: { kind: "reflection", text: "slow", focal_points: ["pace"], adjustments },
    },
  ]);
});

test("below an agent nobody adds to another run, or without the agent's token [TRJ-3.record, T15]", async () => {
  const { cwd, run } = await waiting();
  for (const { line, env } of [
    { line: ["trail", "finding", "x", "--run", run], env: { TROUPE_CONTEXT_TOKEN: "t" } },
    { line: ["trail", "decision", "x"], env: {} },
  ]) {
    const { exitCode, err } = await call(cwd, line, { above: ABOVE, env });
    expect({ exitCode, err }).toEqual({
      exitCode: 2,
      err: expect.stringContaining("error[USAGE_SPEECH_BY_AGENT]: troupe trail "),
    });
  }
  expect(await told(cwd, run)).toEqual([]);
});

test.each([
  ["decision", "USAGE_INVALID"],
  ["finding a b", "USAGE_INVALID"],
  ["finding x --reasoning y", "USAGE_INVALID"],
  ["finding x --dir y", "USAGE_INVALID"],
  ["reflect x --confidence 2", "USAGE_INVALID"],
  ["reflect x --confidence sure", "USAGE_INVALID"],
  ["decision x --run none", "RUN_NOT_FOUND"],
  ["list --run x", "USAGE_INVALID"],
])("trail %s is refused with %s, and nothing is added", async (line, code) => {
  const { cwd, run } = await waiting();
  const { exitCode, out, err } = await call(cwd, ["trail", ...line.split(" ")]);
  expect({ exitCode, out, isTold: err.includes(`error[${code}]`) }).toEqual({
    ...{ exitCode: 2, out: "", isTold: true },
  });
  expect(await told(cwd, run)).toEqual([]);
});
