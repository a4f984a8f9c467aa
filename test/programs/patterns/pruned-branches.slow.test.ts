import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { PrunerSpec } from "../../../src/contracts/definition.ts";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { runTalkCase } from "./talk-runs.ts";

const SPEC: PrunerSpec = { evaluator: "judge", pruneThreshold: 5, evaluationIntervalMs: 1000 };
const slow = (answer: string) => [{ after: "3s", say: `DONE: ${answer}` }];
const rated = (...numbers: readonly number[]) =>
  numbers.map((number) => ({ say: `FITNESS: ${number} so far` }));

/** Three ideas at once, each worked out, and a choice among what is left. */
function ideas(more: Partial<TestWorkflow> = {}): TestWorkflow {
  return {
    agents: ["a", "b", "c", "judge", "end"].map((id) => ({ id })),
    steps: [
      { id: "a", prompt: "idea a" },
      { id: "b", prompt: "idea b" },
      { id: "c", prompt: "idea c" },
      { id: "more-b", agent: "b", prompt: "{{steps.b.output}} more", dependsOn: ["b"] },
      {
        ...{ id: "end", prompt: "choose: {{steps.a.output}}/{{steps.more-b.output}}" },
        dependsOn: ["a", "more-b", "c"],
      },
    ],
    pruner: SPEC,
    ...more,
  };
}

function statesOf(run: FinishedRun) {
  return [...run.state.steps.byPath.values()].map(({ path, status }) => `${path} ${status}`);
}

function prunesOf(run: FinishedRun) {
  return run.all("pattern-advanced").flatMap(({ kind, data }) => (kind === "prune" ? [data] : []));
}

test("a branch below the threshold is cut off with what builds on it alone, and the others go on without it [PRM-pruner, PAT-events, PAT-events-2.choice, PRM-files-2.pruner]", async () => {
  const run = await runTalkCase(ideas(), {
    a: slow("one"),
    b: [{ hang: true }],
    c: slow("three"),
    judge: { repeat: "last", turns: rated(7, 2, 9) },
    end: [{ expect: "one", say: "DONE: one" }],
  });
  expect(run.outcome).toBe("completed");
  expect(statesOf(run)).toEqual([
    ...["a completed", "b cancelled", "c completed", "more-b skipped", "end completed"],
  ]);
  expect(prunesOf(run)).toEqual([{ branch: "b", score: 2 }]);
  expect(run.all("step-cancelled")).toMatchObject([
    { step: "b", reason: "cancelled: pruned with a fitness of 2" },
  ]);
  expect(run.result).toMatchObject({ output: "one", metadata: { pruned: ["b", "more-b"] } });
});

test("the best branches stay, as many as the beam is wide [PRM-pruner, PRM-files-2.pruner]", async () => {
  const pruner = { evaluator: "judge", beamWidth: 1, evaluationIntervalMs: 1000 };
  const run = await runTalkCase(ideas({ pruner }), {
    ...{ a: slow("one"), b: slow("two"), c: slow("three") },
    judge: { repeat: "last", turns: rated(7, 2, 9) },
    end: [{ say: "DONE: ok" }],
  });
  expect(prunesOf(run)).toEqual([
    { branch: "a", score: 7 },
    { branch: "b", score: 2 },
  ]);
  expect(run.all("log")).toEqual([]);
  expect(run.outcome).toBe("completed");
});

test("a branch that nobody rates stays, and when all are cut off the run has failed [PRM-pruner]", async () => {
  const stays = await runTalkCase(ideas(), {
    ...{ a: slow("one"), b: slow("two"), c: slow("three") },
    judge: { repeat: "cycle", turns: [{ say: "I cannot tell" }, { fail: { code: "NO" } }] },
    end: [{ say: "DONE: ok" }],
  });
  expect(stays.outcome).toBe("completed");
  expect(prunesOf(stays)).toEqual([]);
  expect(stays.all("log").map(({ text }) => text)).toEqual(
    expect.arrayContaining([
      'judge gives no FITNESS to step "a"',
      expect.stringMatching(/^judge could not rate step "b": ./),
    ]),
  );
  const none = await runTalkCase(ideas(), {
    ...{ a: slow("one"), b: slow("two"), c: slow("three") },
    judge: { repeat: "last", turns: rated(1) },
  });
  expect(none.outcome).toBe("failed");
  expect(none.parting.event).toMatchObject({ reason: "all branches were pruned" });
  expect(none.result?.metadata).toEqual({ pruned: ["a", "b", "c", "more-b", "end"] });
});

test("the evaluator is told the task of a branch and what it has said until then [PRM-pruner]", async () => {
  const run = await runTalkCase(ideas(), {
    a: [{ do: [{ send: { text: "half of it is there" } }], hang: true }],
    ...{ b: slow("two"), c: slow("three") },
    judge: { repeat: "last", turns: rated(1, 9) },
    end: [{ say: "DONE: ok" }],
  });
  const asked = run.events.flatMap((event) =>
    event.type === "operation-scheduled" && event.op.startsWith("pruner/turn")
      ? [JSON.stringify(event.input)]
      : [],
  );
  expect(asked[0]).toContain("idea a");
  expect(asked[0]).toContain("half of it is there");
  expect(asked[0]).toContain('"session":"pruner","expects":"FITNESS"');
  expect(asked[1]).not.toContain("half of it is there");
});

test("an answer that is a number and nothing else is a rating [PRM-pruner]", async () => {
  const run = await runTalkCase(ideas(), {
    ...{ a: slow("one"), b: slow("two"), c: slow("three") },
    judge: { repeat: "last", turns: [{ say: " 7 " }, { say: "" }, { say: "4" }, { say: "5" }] },
    end: [{ say: "DONE: ok" }],
  });
  expect(prunesOf(run)).toEqual([{ branch: "c", score: 4 }]);
});

test("of what a branch has said the end is shown, as much as there is room for [PRM-pruner]", async () => {
  const long = (word: string) => ({ send: { text: `${word} ${"x".repeat(16_000)}` } });
  const run = await runTalkCase(ideas(), {
    a: [{ do: [long("first"), long("second"), long("third")], hang: true }],
    ...{ b: [{ hang: true }], c: slow("three") },
    judge: { repeat: "last", turns: rated(1, 1, 9) },
    end: [{ say: "DONE: ok" }],
  });
  const [ofA = "", ofB = ""] = run.events.flatMap((event) =>
    event.type === "operation-scheduled" && event.op.startsWith("pruner/turn")
      ? [JSON.stringify(event.input)]
      : [],
  );
  expect(ofA).not.toContain("first x");
  expect(ofA).toContain("xx\\n\\nthird x");
  expect(ofA.match(/x{100,}/g)?.map(({ length }) => length)).toEqual([751, 16_000, 16_000]);
  expect(ofB).toContain("what b has said so far\\nnothing");
});

test("a branch that ends while the others are rated is left as it is [PRM-pruner]", async () => {
  const run = await runTalkCase(ideas(), {
    a: [{ after: "1500ms", say: "DONE: one" }],
    ...{ b: slow("two"), c: slow("three") },
    judge: {
      repeat: "last",
      turns: [{ say: "FITNESS: 1" }, { after: "1s", say: "FITNESS: 9" }, { say: "FITNESS: 9" }],
    },
    end: [{ say: "DONE: ok" }],
  });
  expect(run.outcome).toBe("completed");
  expect(prunesOf(run)).toEqual([]);
  expect(run.result?.metadata).toEqual({ pruned: [] });
});

test("what an agent has said in an earlier step is not shown for a later one [PRM-pruner]", async () => {
  const steps = [
    { id: "b", prompt: "x" },
    { id: "wait", agent: "a", prompt: "x" },
    { id: "more-b", agent: "b", prompt: "x", dependsOn: ["b", "wait"] },
  ];
  const run = await runTalkCase(ideas({ steps }), {
    a: slow("one"),
    b: [
      { do: [{ send: { text: "words of before" } }], after: "1s", say: "DONE: two" },
      { do: [{ send: { text: "words of now" } }], hang: true },
    ],
    judge: {
      repeat: "last",
      turns: [
        { say: "FITNESS: 9" },
        { say: "FITNESS: 9" },
        { say: "FITNESS: 9" },
        { say: "FITNESS: 9" },
        { expect: "more-b", say: "FITNESS: 1" },
      ],
    },
  });
  const asked = run.events.flatMap((event) =>
    event.type === "operation-scheduled" && event.op.startsWith("pruner/turn")
      ? [JSON.stringify(event.input)]
      : [],
  );
  const later = asked.filter((prompt) => prompt.includes("more-b"));
  expect(later[0]).toContain("words of now");
  expect(later[0]).not.toContain("words of before");
});

test("the process of a branch that is cut off is gone, and its place goes to another step [PRM-pruner]", async () => {
  const directory = mkdtempSync(join(tmpdir(), "pruned-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "pid");
  const command = (id: string, text: string) => ({
    ...{ id, backend: "command", settings: { command: text } },
  });
  const started = await startInMemory({
    agents: [
      command("weak", `echo $$ > ${file}; exec sleep 600`),
      command("next", "echo 'DONE: in its place'"),
      command(
        "judge",
        `if test -s ${file} && grep -q 'good step "weak"'; then echo 'FITNESS: 0'; else echo 'FITNESS: 9'; fi`,
      ),
    ],
    steps: [
      { id: "weak", prompt: "x" },
      { id: "next", prompt: "x" },
    ],
    maxConcurrency: 1,
    pruner: { ...SPEC, evaluationIntervalMs: 20 },
  });
  const pid = () => (existsSync(file) ? readFileSync(file, "utf8").trim() : "");
  await expect.poll(pid).toMatch(/\d/);
  const run = await started.over();
  expect(statesOf(run)).toEqual(["weak cancelled", "next completed"]);
  expect(() => process.kill(Number(pid()), 0)).toThrow("ESRCH");
});

test("without a branch under way nobody is asked, and no time is counted [PRM-pruner]", async () => {
  const clock = createManualClock();
  const run = await runWorkflowInMemory(
    {
      agents: [{ id: "judge" }],
      steps: [{ id: "build", run: { command: "true" } }],
      pruner: SPEC,
    },
    { clock },
  );
  expect(run.outcome).toBe("completed");
  expect(run.all("turn-started")).toEqual([]);
  expect(clock.timerCount).toBe(0);
});
