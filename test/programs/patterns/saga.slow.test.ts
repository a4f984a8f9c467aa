import { expect, test } from "vitest";
import type { PatternDefinition } from "../../../src/contracts/definition.ts";
import { createManualClock, type ManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { load } from "../../workflows/load-options.ts";

/** The definition that a saga with these steps comes to. */
function sagaOf(steps: string, more = ""): PatternDefinition {
  const { definition, problems } = load(`name: trip\npattern: saga\n${more}\nsteps:\n${steps}`);
  if (definition === undefined) throw new Error(problems.map(({ message }) => message).join("\n"));
  return definition;
}

function endsOf(run: FinishedRun) {
  return run.events.flatMap((event) =>
    event.type === "step-completed" ||
    event.type === "step-failed" ||
    event.type === "step-cancelled"
      ? [`${event.path} ${event.type.slice("step-".length)}`]
      : [],
  );
}

function movesOf(run: FinishedRun) {
  return run.all("pattern-advanced").map(({ kind, data }) => [kind, data]);
}

const TRIP = `
  - { id: flight, command: "echo F7", compensate: { command: [echo, "cancelled {{steps.flight.output}}"] } }
  - { id: note, command: "echo noted" }
  - { id: hotel, command: "echo H1", compensate: { command: "echo hotel freed" } }
  - { id: car, command: "echo none left >&2; exit 3", compensate: { command: "echo never" } }
  - { id: mail, command: "echo sent" }
`;

test("when a step fails, the completed ones are undone, the last one first, each with what it handed over [PAT-more.saga, PAT-more-2.saga]", async () => {
  const run = await runWorkflowInMemory(sagaOf(TRIP), {});
  expect(run.outcome).toBe("failed");
  const reason = 'step "car" failed: the command of step "car" ended with exit 3: none left';
  expect(run.parting.event).toMatchObject({ reason, error: { code: "STEP_SHELL_FAILED" } });
  expect(endsOf(run)).toEqual([
    "flight completed",
    "note completed",
    "hotel completed",
    "car failed",
    "hotel/compensate completed",
    "flight/compensate completed",
  ]);
  expect(run.all("step-completed").at(-1)).toMatchObject({ output: "cancelled F7" });
  expect(movesOf(run)).toEqual([
    ["undoing", { undoing: ["hotel", "flight"], reason }],
    ["undone", { step: "hotel", undone: true }],
    ["undone", { step: "flight", undone: true }],
  ]);
  expect(run.result?.metadata).toEqual({ undone: ["hotel", "flight"], notUndone: [] });
});

test("a saga whose steps all go well undoes nothing [PAT-more.saga]", async () => {
  const run = await runWorkflowInMemory(sagaOf(TRIP.replace("exit 3", "exit 0")), {});
  expect(run.outcome).toBe("completed");
  expect(movesOf(run)).toEqual([]);
  expect(run.result?.metadata).toEqual({ undone: [], notUndone: [] });
});

test("a saga whose first step fails has nothing to undo, and says nothing of it [PAT-more.saga]", async () => {
  const step = '{ id: a, command: "exit 1", compensate: { command: "true" } }';
  const run = await runWorkflowInMemory(sagaOf(`  - ${step}`), {});
  expect(run.outcome).toBe("failed");
  expect(movesOf(run)).toEqual([]);
});

test("what cannot be undone is told, and the others are undone all the same [PAT-more.saga]", async () => {
  const run = await runWorkflowInMemory(
    sagaOf(`
  - { id: a, command: "true", compensate: { command: "true" } }
  - { id: b, command: "true", compensate: { command: "echo gone >&2; exit 4" } }
  - { id: c, command: "true", compensate: { command: "sleep 600", timeout: 50ms } }
  - { id: d, command: "exit 1" }
`),
    {},
  );
  expect(run.outcome).toBe("failed");
  expect(run.parting.event).toMatchObject({ reason: expect.stringMatching(/^step "d" failed/) });
  expect(movesOf(run).slice(1)).toEqual([
    [
      "undone",
      { step: "c", undone: false, problem: expect.stringMatching(/"c\/compensate".* 50 ms/) },
    ],
    [
      "undone",
      { step: "b", undone: false, problem: expect.stringMatching(/"b\/compensate".*exit 4: gone/) },
    ],
    ["undone", { step: "a", undone: true }],
  ]);
  expect(run.result?.metadata).toEqual({ undone: ["a"], notUndone: ["c", "b"] });
});

test("steps side by side are undone in the reverse order in which they were done [PAT-more.saga]", async () => {
  const run = await runWorkflowInMemory(
    sagaOf(
      `
  - { id: slow, command: "true", dependsOn: [quick], compensate: { command: "true" } }
  - { id: quick, command: "true", compensate: { command: "true" } }
  - { id: end, command: "exit 1", dependsOn: [slow] }
`,
      "coordination: { mode: dag }",
    ),
    {},
  );
  expect(run.result?.metadata).toEqual({ undone: ["slow", "quick"], notUndone: [] });
});

test("an agent that undoes is told what was done and why it is undone [PAT-more.saga, PAT-more-2.saga]", async () => {
  const run = await runWorkflowInMemory(
    sagaOf(
      `
  - { id: book, agent: a, prompt: "Book", compensate: { prompt: "Cancel {{steps.book.output}}", agent: b } }
  - { id: pay, agent: a, prompt: "Pay" }
`,
      "agents: [{ id: a, backend: script }, { id: b, backend: script }]",
    ),
    {
      turns: {
        a: [{ say: "DONE: R-15" }, { say: "FAILED: no money" }],
        b: [{ expect: "Cancel", say: "DONE: R-15 is cancelled" }],
      },
    },
  );
  expect(run.outcome).toBe("failed");
  expect(run.all("step-completed").map(({ path, agent, output }) => [path, agent, output])).toEqual(
    [
      ["book", "a", "R-15"],
      ["book/compensate", "b", "R-15 is cancelled"],
    ],
  );
  const asked = run.events.filter(({ type }) => type === "operation-scheduled");
  const prompt = JSON.stringify(asked.at(-1));
  expect(prompt).toContain("You undo step");
  expect(prompt).toContain("no money");
  expect(prompt).toContain("Cancel ");
});

test("a cancelled run undoes what is done before it ends [PAT-more.saga, ENG-6, PAT-more-2.saga]", async () => {
  const started = await startInMemory(
    sagaOf(
      `
  - { id: one, command: "true", compensate: { command: "true" } }
  - { id: two, agent: a, prompt: "x", compensate: { prompt: "undo it" } }
  - { id: three, command: "exec sleep 600" }
`,
      "agents: [{ id: a, backend: script }]",
    ),
    { turns: { a: [{ say: "DONE: y" }, { say: "DONE: undone" }] } },
  );
  await started.event("step-started", ({ step }) => step === "three");
  await started.run.cancel("enough");
  const run = await started.over();
  expect(run.outcome).toBe("cancelled");
  expect(run.result?.metadata).toEqual({ undone: ["two", "one"], notUndone: [] });
  expect(endsOf(run).slice(2)).toEqual([
    "three cancelled",
    "two/compensate completed",
    "one/compensate completed",
  ]);
});

test("a cancelled run has its time for cleaning up, and then tells what is not undone [PAT-more.saga, ENG-6]", async () => {
  const clock = createManualClock();
  const started = await startInMemory(
    sagaOf(
      `
  - { id: one, agent: a, prompt: x, compensate: { prompt: x } }
  - { id: two, agent: a, prompt: x, compensate: { prompt: x } }
  - { id: three, agent: b, prompt: x }
`,
      "agents: [{ id: a, backend: script }, { id: b, backend: script }]",
    ),
    {
      clock,
      turns: {
        a: [{ say: "DONE: 1" }, { say: "DONE: 2" }, { say: "DONE: undone" }, { hang: true }],
        b: [{ hang: true }],
      },
    },
  );
  const begins = started.event("step-started", ({ step }) => step === "three");
  await inTime(clock, begins);
  await inTime(clock, started.run.cancel("enough"));
  const finished = await inTime(clock, started.over());
  expect(finished.outcome).toBe("cancelled");
  expect(finished.result?.metadata).toEqual({ undone: ["two"], notUndone: ["one"] });
  const moves = movesOf(finished).filter(([kind]) => kind === "undone");
  expect(moves).toEqual([
    ["undone", { step: "two", undone: true }],
    ["undone", { step: "one", undone: false, problem: "cancelled: enough" }],
  ]);
});

test("instances of a matrix are undone each by itself, with its variables [PAT-more.saga, WF-17]", async () => {
  const run = await runWorkflowInMemory(
    sagaOf(
      `
  - { id: up, matrix: { at: [x, y] }, command: "true", compensate: { command: [echo, "down {{matrix.at}}"] } }
  - { id: check, dependsOn: [up], command: "exit 1" }
`,
      "coordination: { mode: dag }\noptions: { maxConcurrency: 1 }",
    ),
    {},
  );
  const undone = run.all("step-completed").filter(({ path }) => path.endsWith("/compensate"));
  expect(undone.map(({ path, output }) => [path, output])).toEqual([
    ["up (y)/compensate", "down y"],
    ["up (x)/compensate", "down x"],
  ]);
});

/** What comes of something while time moves on. */
async function inTime<Value>(clock: ManualClock, promise: Promise<Value>): Promise<Value> {
  let isOver = false;
  const over = promise.finally(() => {
    isOver = true;
  });
  while (!isOver) if (!(await clock.advanceToNext())) await settle();
  return over;
}
