import { expect, test } from "vitest";
import { meshKind } from "../../../src/programs/patterns/mesh.ts";
import { toRoundPattern } from "../../../src/programs/talk/round-pattern.ts";
import {
  defineTestWorkflow,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { promptsOf, runTalkCase } from "./talk-runs.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };

function mesh(ids: readonly string[], more: Partial<TestWorkflow> = {}): TestWorkflow {
  return { pattern: "mesh", agents: ids.map((id) => ({ id })), turns, ...more };
}

test("peers take a turn each round until all have said DONE [PAT-mesh, PAT-output.mesh, PAT-mesh-2.settled, PAT-mesh-2.report]", async () => {
  const run = await runWorkflowInMemory(mesh(["a", "b"]), {
    task: "fix the login",
    turns: {
      a: [{ say: "I read the logs." }, { say: "Found it.\nDONE: the log" }],
      b: [{ say: "I read the code." }, { say: "DONE: the code" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    success: true,
    output: "## a\n\nthe log\n\n## b\n\nthe code",
    metadata: { rounds: 2, settled: ["a", "b"], ended: "done" },
  });
});

test("each peer hears once what the others said, as data, and goal, part and conventions in its first turn only [PAT-mesh, PAT-delta.once, PAT-delta.convention, PAT-parts.part, PAT-parts.goal, PAT-mesh-2.rounds]", async () => {
  const run = await runWorkflowInMemory(
    mesh([], { agents: [{ id: "a", task: "the logs, not {{agents.b.name}}" }, { id: "b" }] }),
    {
      task: "fix the login",
      turns: {
        a: [{ say: "I go on" }, { say: "and on" }, { say: "DONE: a" }],
        b: [{ say: "First." }, { say: "Second." }, { say: "DONE: b" }],
      },
    },
  );
  const shown = promptsOf(run, "a").map((prompt) => ({
    goal: prompt.includes("fix the login"),
    part: prompt.includes("the logs"),
    convention: prompt.includes("This is a mesh"),
    first: prompt.includes("First."),
    second: prompt.includes("Second."),
  }));
  const later = { goal: false, part: false, convention: false };
  expect(shown).toEqual([
    { goal: true, part: true, convention: true, first: false, second: false },
    { ...later, first: true, second: false },
    { ...later, first: false, second: true },
  ]);
  const [first = "", second = "", third = ""] = promptsOf(run, "a");
  expect(first).toContain("## Goal\n\nfix the login\n\n## Your Task\n\nthe logs, not b\n\n");
  const [own = ""] = promptsOf(run, "b");
  expect(own).toContain("## Your Task\n\nfix the login\n\n");
  expect(own).not.toContain("## Goal");
  const ask = "Do your part and answer the others. When the goal is met, end with a line";
  const line = (round: number) =>
    `\n\nRound ${round} of 10. ${ask} \`DONE: <what you contributed>\`.`;
  expect(second).toMatch(/^<<<(data_\w{32}) message of b\nFirst\.\n>>>\1\n\n[^\n]*$/);
  expect(second).toContain(line(2));
  expect(third).toContain(line(3));
});

test("of more than 64 Ki characters of a channel a peer is told the newest, oldest first, and how many were left out [PAT-delta.cut]", async () => {
  const long = (index: number) => `message ${index} ${"x".repeat(9990)}`;
  const sends = Array.from({ length: 9 }, (_, index) => ({ send: { text: long(index) } }));
  const run = await runWorkflowInMemory(mesh(["a", "b"]), {
    task: "fix it",
    turns: {
      a: [{ say: "reading" }, { say: "DONE: a" }],
      b: [{ do: sends, say: "" }, { say: "DONE: b" }],
    },
  });
  const [, told = ""] = promptsOf(run, "a");
  expect([...told.matchAll(/message (\d) x/g)].map(([, index]) => index)).toEqual([..."345678"]);
  expect(told).toContain("3 earlier messages are left out here; channel_read shows them");
});

test("a DONE is withdrawn when somebody names or writes to its author [PAT-edges.open, PAT-mesh-2.settled]", async () => {
  const run = await runWorkflowInMemory(mesh(["a", "b", "c"]), {
    task: "fix it",
    turns: {
      a: [{ say: "DONE: mine" }, { say: "DONE: mine, and the tests" }],
      b: [{ say: "reading" }, { say: "@c is right.\nDONE: read" }],
      c: [
        { do: [{ send: { to: "a", text: "the tests fail" } }], say: "writing" },
        { say: "DONE: written" },
        { say: "DONE: written twice" },
      ],
    },
  });
  expect(run.result).toMatchObject({
    output: "## a\n\nmine, and the tests\n\n## b\n\nread\n\n## c\n\nwritten twice",
    metadata: { rounds: 3, settled: ["a", "b", "c"], ended: "done" },
  });
});

test("after the last round those without DONE are asked for it: with it the run is completed [PAT-ends.asks, PAT-ends.completed, PAT-mesh-2.report]", async () => {
  const run = await runWorkflowInMemory(mesh(["a", "b"], { options: { maxRounds: 1 } }), {
    task: "fix it",
    turns: { a: [{ say: "DONE: a" }], b: [{ say: "so far" }, { say: "DONE: b after all" }] },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    output: "## a\n\na\n\n## b\n\nb after all",
    metadata: { rounds: 1, settled: ["a", "b"], ended: "rounds" },
  });
});

test("without DONE after the last round the run has reached its limit and keeps what is done [PAT-ends.limit]", async () => {
  const run = await runWorkflowInMemory(mesh(["a", "b"], { options: { maxRounds: 1 } }), {
    task: "fix it",
    turns: { a: [{ say: "DONE: a" }], b: [{ say: "so far" }, { say: "not yet" }] },
  });
  expect(run.outcome).toBe("limit-reached");
  expect(run.all("run-ended")[0]?.reason).toBe("1 of 2 peers done when all rounds were used");
  expect(run.result).toMatchObject({ success: false, output: "## a\n\na" });
});

test("two rounds without news end a mesh; progress alone is no news [PAT-mesh-2.rounds, PAT-mesh-2.stalled, PAT-mesh-2.report]", async () => {
  const run = await runWorkflowInMemory(mesh(["a", "b"]), {
    task: "fix it",
    turns: {
      a: [
        { say: "PROGRESS: 10% reading" },
        { expect: "The last round brought nothing new", say: "ACK: yes" },
        { say: "DONE: a" },
      ],
      b: [{ say: "" }, { say: "" }, { say: "still nothing" }],
    },
  });
  expect(run.outcome).toBe("limit-reached");
  expect(run.result).toMatchObject({ metadata: { rounds: 2, settled: ["a"], ended: "stalled" } });
  expect(run.state.advances.map(({ data }) => data).slice(0, 2)).toMatchObject([
    { round: 1, spoke: ["a", "b"], news: 0 },
    { round: 2, spoke: ["a", "b"], news: 0 },
  ]);
  // Nobody is reminded to say something.
  expect(run.all("turn-completed")).toHaveLength(6);
});

test("a round is one turn of each peer that is not settled, all at once; what it says is news, DONE is not [PAT-mesh-2.rounds, PAT-mesh-2.stalled]", async () => {
  const work = { after: "1s", say: "I work" };
  const run = await runTalkCase(mesh(["a", "b", "c"]), {
    a: [work, { after: "1s", say: "DONE: a" }],
    b: [{ after: "1s", say: "DONE: b" }],
    c: [work, work, { after: "1s", say: "DONE: c" }],
  });
  const turns = run.events.flatMap((event) => {
    if (event.type === "turn-started") return [`+${event.agent}`];
    return event.type === "turn-completed" ? [`-${event.agent}`] : [];
  });
  const groups = turns.join("").match(/(?:\+\w)+(?:-\w)+/g) ?? [];
  expect(groups.map((group) => [...group].toSorted().join(""))).toEqual([
    "+++---aabbcc",
    "++--aacc",
    "+-cc",
  ]);
  expect(run.state.advances.slice(0, 3).map(({ data }) => data)).toMatchObject([
    { news: 2 },
    { news: 1 },
    { news: 0 },
  ]);
});

test("a changed file is news [PAT-mesh-2.stalled]", async () => {
  const edit = { file: { path: "login.ts", kind: "edit" } };
  const run = await runWorkflowInMemory(mesh(["a"], { options: { maxRounds: 3 } }), {
    task: "fix it",
    turns: { a: [{ do: [edit], say: "" }, { say: "" }, { say: "DONE: fixed" }] },
  });
  const news = run.state.advances.flatMap(({ kind, data }) => (kind === "round" ? [data] : []));
  expect(news).toMatchObject([{ news: 1 }, { news: 0 }, { news: 0 }]);
});

test("a changed document is news [PAT-mesh-2.stalled]", async () => {
  const write = { call: { tool: "document_write", arguments: { content: "the plan" } } };
  const run = await runWorkflowInMemory(mesh(["a"], { options: { maxRounds: 3 } }), {
    task: "plan it",
    turns: { a: [{ do: [write] }, { say: "" }, { say: "DONE: planned" }] },
  });
  const news = run.state.advances.flatMap(({ kind, data }) => (kind === "round" ? [data] : []));
  expect(news).toMatchObject([{ news: 1 }, { news: 0 }, { news: 0 }]);
  expect(run.outcome).toBe("completed");
});

test("a peer that fails leaves, the others go on; the last one to fail fails the run [PAT-fail.when, PAT-fail.last]", async () => {
  const some = await runWorkflowInMemory(mesh(["a", "b"]), {
    task: "fix it",
    turns: { a: [{ say: "FAILED: no access" }], b: [{ say: "ok" }, { say: "DONE: b" }] },
  });
  expect(some.outcome).toBe("completed");
  expect(some.result).toMatchObject({ output: "## b\n\nb", metadata: { settled: ["b"] } });
  const none = await runWorkflowInMemory(mesh(["a", "b"]), {
    task: "fix it",
    turns: { a: [{ say: "FAILED: no access" }], b: [{ say: "BLOCKED: no key" }] },
  });
  expect(none.outcome).toBe("failed");
  expect(none.all("run-ended")[0]?.reason).toContain("no peer is left");
});

test("a program and a function are peers that are done with what they print, which is their message [PAT-plain.answers]", async () => {
  const run = await runWorkflowInMemory(
    {
      ...mesh([]),
      agents: [
        { id: "lint", backend: "command", settings: { command: "echo clean" } },
        { id: "count", backend: "function" },
      ],
    },
    { task: "check it", functions: { count: () => "3 files" } },
  );
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    metadata: { rounds: 1, settled: ["lint", "count"], ended: "done" },
  });
  const posted = run.all("message-posted").map(({ from, text }) => `${from}: ${text}`);
  expect(posted.toSorted()).toEqual(["count: 3 files", "lint: clean"]);
});

test("a program that exits with another code than 0 has failed, whatever it printed [PAT-plain.exit]", async () => {
  const command = "echo DONE: clean; exit 3";
  const run = await runWorkflowInMemory(
    mesh([], { agents: [{ id: "lint", backend: "command", settings: { command } }, { id: "b" }] }),
    { task: "check it", turns: { b: [{ say: "DONE: b" }] } },
  );
  expect(run.state.steps.byPath.get("lint")).toMatchObject({ status: "failed" });
  expect(run.result).toMatchObject({ output: "## b\n\nb", metadata: { settled: ["b"] } });
});

test("a question to a person that nobody answers holds up no round", async () => {
  const run = await runWorkflowInMemory(mesh(["a", "b"]), {
    task: "fix it",
    turns: {
      a: [{ say: "@user which one do you mean?" }, { say: "DONE: both" }],
      b: [{ say: "DONE: b" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({ metadata: { rounds: 2, ended: "done" } });
});

test("a run that is cut short shows the rounds until then [PAT-cut.metadata]", async () => {
  const run = await runWorkflowInMemory(mesh(["a", "b"]), {
    task: "fix it",
    budget: { turns: 3 },
    turns: { a: [{ say: "one" }, { say: "two" }], b: [{ say: "DONE: b" }] },
  });
  expect(run.outcome).toBe("limit-reached");
  expect(run.result).toMatchObject({ metadata: { rounds: 2, settled: ["b"], ended: null } });
});

test("its estimate counts one turn for each peer, or all rounds and the last question", () => {
  const definition = defineTestWorkflow(mesh(["a", "b"], { options: { maxRounds: 4 } }));
  expect(toRoundPattern(meshKind).turns?.(definition)).toEqual({
    least: 2,
    most: 10,
    basis: "2 peers x (1 to 4 rounds + 1 that asks for DONE)",
  });
});
