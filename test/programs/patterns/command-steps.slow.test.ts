import { expect, test } from "vitest";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { load } from "../../workflows/load-options.ts";

/** The definition that a file with these steps comes to. */
function definitionOf(steps: string, more = "") {
  const text = `name: flow\npattern: dag\n${more}\nsteps:\n${steps}`;
  const { definition, problems } = load(text);
  if (definition === undefined) throw new Error(problems.map(({ message }) => message).join("\n"));
  return definition;
}

test("a step with a command needs no agent; what it prints is its output [PAT-command]", async () => {
  const definition = definitionOf(`
  - { id: list, command: "printf 'a b\\n\\n'" }
  - { id: use, dependsOn: [list], command: [printf, "<%s>", "{{steps.list.output}}"] }
`);
  expect(definition.agents).toEqual([]);
  const run = await runWorkflowInMemory(definition, {});
  expect(run.outcome).toBe("completed");
  const done = run.all("step-completed").map(({ step, output, reason, agent }) => {
    return { step, output, reason, agent };
  });
  expect(done).toEqual([
    { step: "list", output: "a b\n", reason: "exit", agent: undefined },
    { step: "use", output: "<a b\n>", reason: "exit", agent: undefined },
  ]);
  expect(run.all("agent-spawned")).toEqual([]);
  expect(run.result?.output).toBe("<a b\n>");
});

test("values of variables are never read by the shell, whatever quotes are around them [PAT-command, T6]", async () => {
  const definition = definitionOf(`
  - { id: one, command: "printf %s \\"<{{task}}>\\" {{task}} '{{task}}'" }
`);
  const task = `$(touch /tmp/no) "; 'x`;
  const run = await runWorkflowInMemory(definition, { task });
  expect(run.result?.output).toBe(`<${task}>${task}${task}`);
});

test("it is told its place, what the file gives it, and why it is tried again [PAT-command]", async () => {
  const say = "echo $TROUPE_STEP $TROUPE_ATTEMPT $A ${TROUPE_PREVIOUS_ERROR:+again}";
  const definition = definitionOf(`
  - { id: one, command: "${say}; test $TROUPE_ATTEMPT = 2", env: { A: "<{{task}}>" }, maxRetries: 1 }
`);
  const run = await runWorkflowInMemory(
    { ...definition, steps: definition.steps.map((step) => ({ ...step, retryDelayMs: 0 })) },
    { task: "go" },
  );
  expect(run.result?.output).toBe("one 2 <go> again");
  expect(run.all("step-retrying")).toMatchObject([
    { attempt: 1, error: { code: "STEP_SHELL_FAILED" } },
  ]);
});

test("another exit code than 0 fails the step, unless allowFailure says that the run goes on [PAT-command]", async () => {
  const run = await runWorkflowInMemory(
    definitionOf(`
  - { id: may, command: "echo kept; exit 3", allowFailure: true }
  - { id: must, dependsOn: [may], command: "echo why >&2; exit 4" }
  - { id: after, dependsOn: [must], command: "true" }
`),
    {},
  );
  expect(run.outcome).toBe("failed");
  expect(run.all("step-completed")).toMatchObject([
    { step: "may", output: "kept", outcome: "exit 3" },
  ]);
  const [failed] = run.all("step-failed");
  expect(failed?.error.message).toBe('the command of step "must" ended with exit 4: why');
  expect(run.all("step-blocked")).toMatchObject([{ step: "after", by: ["must"] }]);
});

test("its checks and its deadline hold, also with allowFailure [PAT-command, WF-11.checks]", async () => {
  const run = await runWorkflowInMemory(
    definitionOf(`
  - { id: fits, command: "echo clean", verify: [{ outputMatches: "^clean$" }] }
  - { id: not, command: "echo dirty", verify: [{ outputMatches: "^clean$" }], allowFailure: true }
  - { id: slow, command: "sleep 60", timeout: 50ms, allowFailure: true }
`),
    {},
  );
  expect(run.all("step-completed")).toMatchObject([{ step: "fits", reason: "verified" }]);
  const codes = run.all("step-failed").map(({ step, error }) => [step, error.code]);
  expect(codes.toSorted()).toEqual([
    ["not", "STEP_VERIFICATION_FAILED"],
    ["slow", "STEP_TIMED_OUT"],
  ]);
});

test("a cancelled run ends the command of its step [PAT-command, ENG-6]", async () => {
  const definition = definitionOf(`
  - { id: sleeper, command: "exec sleep 600" }
`);
  const run = await startInMemory(definition, {});
  await run.event("step-started");
  await run.run.cancel("enough");
  const finished = await run.over();
  expect(finished.outcome).toBe("cancelled");
  expect(finished.state.steps.byPath.get("sleeper")?.status).toBe("cancelled");
});

test("steps run whatever came before, or only after a failure, when they say so [USE-7.graphs]", async () => {
  const steps = `
  - { id: bad, command: "exit 1" }
  - { id: good, command: "true" }
  - { id: blocked, dependsOn: [bad], command: "true" }
  - { id: report, dependsOn: [blocked, good], runs: always, command: "echo {{steps.bad.status}}" }
  - { id: alarm, dependsOn: [blocked], runs: on-failure, command: "echo alarm" }
  - { id: calm, dependsOn: [good], runs: on-failure, command: "echo calm" }
`;
  const run = await runWorkflowInMemory(definitionOf(steps), {});
  const outputs = run.all("step-completed").map(({ step, output }) => [step, output]);
  expect(outputs.toSorted()).toEqual([
    ["alarm", "alarm"],
    ["good", ""],
    ["report", "failed"],
  ]);
  expect(run.all("step-skipped")).toMatchObject([{ step: "calm" }]);
  expect(run.outcome).toBe("failed");
});

test("what runs in any case also runs after the run was aborted [USE-7.graphs]", async () => {
  const steps = `
  - { id: bad, command: "exit 1" }
  - { id: never, command: "true" }
  - { id: clean, runs: always, command: "echo clean" }
`;
  const definition = { ...definitionOf(steps), pattern: "pipeline", onFailure: "abort" } as const;
  const run = await runWorkflowInMemory(definition, {});
  expect(run.all("step-completed")).toMatchObject([{ step: "clean", output: "clean" }]);
  expect(run.outcome).toBe("failed");
});

test("a barrier waits for steps by their ids, and gives up as soon as one of them fails [PAT-barrier]", async () => {
  const steps = `
  - { id: one, command: "true" }
  - { id: two, command: "true" }
  - { id: bad, command: "exit 1" }
  - { id: after, dependsOn: [both], command: "true" }
  - { id: not, dependsOn: [hopeless], command: "true" }
`;
  const barriers = `coordination:
  barriers: [{ id: both, waitFor: [one, two] }, { id: hopeless, waitFor: [one, bad], timeout: 1d }]`;
  const run = await runWorkflowInMemory(definitionOf(steps, barriers), {});
  expect(run.all("step-completed").map(({ step }) => step)).toContain("after");
  expect(run.all("pattern-advanced")).toMatchObject([{ data: { barrier: "both" } }]);
  expect(run.all("step-blocked")).toMatchObject([{ step: "not", by: ["hopeless"] }]);
});

test("a check may look at all that an agent said, but not at what it was told [WF-11.checks]", async () => {
  const text = `name: flow
pattern: dag
agents: [{ id: a, backend: script }, { id: echo, backend: command, command: cat }]
steps:
  - { id: said, agent: a, prompt: go, expects: none, verify: [{ outputMatches: READY, in: text }] }
  - { id: echoed, agent: echo, prompt: "say READY", verify: [{ outputMatches: READY, in: text }] }
`;
  const { definition } = load(text);
  if (definition === undefined) throw new Error("the file is not valid");
  const turns = { a: [{ say: "it is READY\nDONE: payload" }] };
  const run = await runWorkflowInMemory(definition, { turns });
  expect(run.all("step-completed")).toMatchObject([{ step: "said", output: "payload" }]);
  expect(run.all("step-failed")).toMatchObject([{ step: "echoed" }]);
});
