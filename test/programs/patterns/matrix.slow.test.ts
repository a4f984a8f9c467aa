import { expect, test } from "vitest";
import { runWorkflowInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { load } from "../../workflows/load-options.ts";

function definitionOf(steps: string, more = "") {
  const text = `name: flow\npattern: dag\n${more}\nsteps:\n${steps}`;
  const { definition, problems } = load(text);
  if (definition === undefined) throw new Error(problems.map(({ message }) => message).join("\n"));
  return definition;
}

test("a step with a matrix is carried out once per combination, and what depends on it waits for all of them [WF-17]", async () => {
  const run = await runWorkflowInMemory(
    definitionOf(`
  - { id: first, command: "echo go" }
  - id: test
    dependsOn: [first]
    matrix: { os: [a, b], node: [22, 24], exclude: [{ os: b, node: 22 }], include: [{ os: c, node: 26 }, { os: a, node: 24, extra: "x" }] }
    when: matrix.node > 21
    command: "printf '%s' '{{matrix.os}}-{{matrix.node}}'"
  - { id: after, dependsOn: [test], command: [printf, "%s", "{{steps.test.output}}"] }
`),
    {},
  );
  expect(run.outcome).toBe("completed");
  const done = run.all("step-completed").map(({ step }) => step);
  // Instances are processes of their own, and end in any order.
  expect([done[0], ...done.slice(1, -2).toSorted(), ...done.slice(-2)]).toEqual([
    "first",
    ...["test (a, 22)", "test (a, 24, x)", "test (b, 24)", "test (c, 26)"],
    ...["test", "after"],
  ]);
  expect(run.result?.output).toBe(
    "## test (a, 22)\n\na-22\n\n## test (a, 24, x)\n\na-24\n\n## test (b, 24)\n\nb-24\n\n## test (c, 26)\n\nc-26",
  );
});

const FAILING = `
  - id: test
    matrix: { os: [a, b, c] }
    command: "printf '%s' {{matrix.os}}; test {{matrix.os}} != a"`;

test("the others go on when an instance fails, the step has failed, and its results say how each ended [WF-17]", async () => {
  const run = await runWorkflowInMemory(
    definitionOf(`${FAILING}
  - { id: after, dependsOn: [test], command: "true" }
  - id: alarm
    dependsOn: [test]
    runs: on-failure
    command: [printf, "%s", "{{steps.test.results}}"]
  - { id: asked, dependsOn: [test], runs: always, when: 'steps.test.results[1].output == "b"', command: "echo seen" }
`),
    {},
  );
  expect(run.outcome).toBe("failed");
  expect(run.all("step-failed").map(({ step, error }) => [step, error.code])).toEqual([
    ["test (a)", "STEP_SHELL_FAILED"],
    ["test", "STEP_INSTANCES_FAILED"],
  ]);
  expect(run.all("step-blocked")).toMatchObject([{ step: "after", by: ["test"] }]);
  const done = new Map(run.all("step-completed").map(({ step, output }) => [step, output]));
  expect(JSON.parse(done.get("alarm") ?? "")).toEqual([
    {
      ...{ id: "test (a)", matrix: { os: "a" }, status: "failed", output: "a" },
      error: "exit 1: a\na",
    },
    { id: "test (b)", matrix: { os: "b" }, status: "completed", output: "b" },
    { id: "test (c)", matrix: { os: "c" }, status: "completed", output: "c" },
  ]);
  expect(done.get("asked")).toBe("seen");
});

test("with failFast the first failure ends the others, begun or not [WF-17]", async () => {
  const run = await runWorkflowInMemory(
    definitionOf(`
  - id: test
    matrix: { os: [a, b, c] }
    maxConcurrency: 2
    failFast: true
    command: "if test {{matrix.os}} = a; then exit 3; fi; sleep 60"
  - { id: other, command: "echo fine" }
`),
    {},
  );
  expect(run.outcome).toBe("failed");
  expect(run.all("step-started").map(({ step }) => step)).not.toContain("test (c)");
  const cancelled = run.all("step-cancelled").map(({ step, reason }) => `${step}: ${reason}`);
  expect(cancelled.toSorted()).toEqual([
    'test (b): cancelled: failFast: instance "test (a)" failed',
    'test (c): failFast: instance "test (a)" failed',
  ]);
  expect(run.all("step-completed").map(({ step }) => step)).toEqual(["other"]);
});

test("at most maxConcurrency instances are under way, whatever else is [WF-17]", async () => {
  const run = await runWorkflowInMemory(
    definitionOf(`
  - { id: test, matrix: { n: [1, 2, 3, 4, 5] }, maxConcurrency: 2, command: "true" }
  - { id: other, command: "true" }
`),
    {},
  );
  expect(run.outcome).toBe("completed");
  const open = new Set<string>();
  let most = 0;
  for (const { type, ...event } of run.events) {
    if (!("step" in event) || typeof event.step !== "string" || !event.step.includes("(")) continue;
    if (type === "step-started") open.add(event.step);
    if (type === "step-completed") open.delete(event.step);
    most = Math.max(most, open.size);
  }
  expect(most).toBe(2);
});

test("what a failed instance means for the run is decided when all of them are over [WF-17]", async () => {
  const run = await runWorkflowInMemory(
    definitionOf(
      `${FAILING}
  - { id: after, dependsOn: [test], command: "true" }`,
      "errorHandling: { onFailure: abort }",
    ),
    {},
  );
  const done = run.all("step-completed").map(({ step }) => step);
  expect(done.toSorted()).toEqual(["test (b)", "test (c)"]);
  expect(run.all("step-failed").map(({ step }) => step)).toEqual(["test (a)", "test"]);
});

test("instances that are blocked or skipped make their step blocked or done with nothing [WF-17]", async () => {
  const run = await runWorkflowInMemory(
    definitionOf(`
  - { id: first, command: "exit 1" }
  - { id: blocked, dependsOn: [first], matrix: { n: [1, 2] }, command: "true" }
  - { id: skipped, matrix: { n: [1, 2] }, when: "matrix.n > 2", command: "true" }
  - { id: after, dependsOn: [skipped], command: [printf, "%s", "<{{steps.skipped.output}}>"] }
`),
    {},
  );
  expect(run.all("step-blocked").map(({ step, by }) => [step, by])).toEqual([
    ["blocked (1)", ["first"]],
    ["blocked (2)", ["first"]],
    ["blocked", ["blocked (1)", "blocked (2)"]],
  ]);
  expect(run.all("step-skipped").map(({ step }) => step)).toEqual(["skipped (1)", "skipped (2)"]);
  expect(run.all("step-completed").map(({ output }) => output)).toEqual(["", "<>"]);
});

test("agents carry out instances too, each told its own values [WF-17]", async () => {
  const run = await runWorkflowInMemory(
    definitionOf(
      `
  - { id: ask, agent: a, matrix: { topic: [tea, "$(rm) {{task}}"] }, prompt: "about {{matrix.topic}}", expects: none }`,
      `agents: [{ id: a, backend: command, command: [cat] }]`,
    ),
    { task: "secret" },
  );
  const said = run.all("step-completed").map(({ step, output }) => [step, output]);
  expect(said.toSorted()).toEqual([
    ["ask (-(rm) {{task}})", "about $(rm) {{task}}"],
    ["ask (tea)", "about tea"],
    ["ask", "## ask (tea)\n\nabout tea\n\n## ask (-(rm) {{task}})\n\nabout $(rm) {{task}}"],
  ]);
});
