import { expect, test } from "vitest";
import { load, problemsOf } from "./load-options.ts";

/** A saga over agents a and b with this step on line 5, and one that it comes after. */
const saga = (step: string, pattern = "saga") =>
  `name: trip\npattern: ${pattern}\nagents: [{ id: a }, { id: b }]\nsteps:\n  - { id: s, ${step} }\n  - { id: t, agent: b, prompt: x }\n`;

test.each([
  ["agent: a, compensate: { prompt: x }", []],
  ["agent: a, compensate: { command: x, timeout: 10s }", []],
  [
    "command: x, compensate: { prompt: x, agent: B }",
    ['WORKFLOW_UNUSED_AGENT 3:16 no step uses agent "a"'],
  ],
  [
    "agent: a, compensate: {}",
    ["WORKFLOW_VALUE 5:24 steps.s.compensate has neither command nor prompt"],
  ],
  [
    "agent: a, compensate: { command: x, prompt: y }",
    ["WORKFLOW_VALUE 5:50 steps.s.compensate has a command and prompt"],
  ],
  [
    "agent: a, compensate: { command: x, agent: a }",
    ["WORKFLOW_VALUE 5:50 steps.s.compensate has a command and agent"],
  ],
  [
    "agent: a, compensate: { prompt: x, timeout: 0s }",
    ['WORKFLOW_DURATION 5:58 steps.s.compensate.timeout: "0s" is no time at all'],
  ],
  [
    "agent: a, compensate: { prompt: x, agent: c }",
    [expect.stringMatching(/^WORKFLOW_UNKNOWN_AGENT 5:56 step "s" is undone by agent "c"/)],
  ],
  [
    'agent: a, compensate: { prompt: "{{steps.s.output}} {{steps.t.output}}" }',
    [expect.stringMatching(/^WORKFLOW_NOT_UPSTREAM 5:66 .*steps\.t\.output/)],
  ],
  [
    'agent: a, prompt: "{{steps.s.output}}", compensate: { prompt: x }',
    [expect.stringMatching(/^WORKFLOW_NOT_UPSTREAM 5:33 .*steps\.s\.output/)],
  ],
  [
    "agent: a, compensate: { command: \"sh -c 'rm {{steps.s.output}}'\" }",
    [expect.stringMatching(/^WORKFLOW_VALUE_IN_CODE 5:/)],
  ],
])(
  "a step of a saga with { %s } loads with these problems [PAT-more.saga, WF-2.load]",
  (step, found) => {
    expect(problemsOf(saga(step))).toEqual(found);
  },
);

test("who undoes needs a name where several could [PAT-more.saga, WF-2.load]", () => {
  expect(problemsOf(saga("command: x, compensate: { prompt: x }"))).toContain(
    "WORKFLOW_VALUE 5:40 steps.s.compensate has a prompt and no agent, and its step has none either",
  );
});

test("in a pattern that undoes nothing compensate is refused [PAT-more.saga, WF-2.load]", () => {
  expect(problemsOf(saga("agent: a, compensate: { prompt: x }", "dag"))).toEqual([
    "WORKFLOW_VALUE 5:24 steps.s.compensate has no meaning in dag, which undoes nothing",
  ]);
});

test("a saga without steps, or in which nothing can be undone, is refused [PAT-more.saga]", () => {
  const roles = (text: string) => load(text).problems.map(({ code, message }) => [code, message]);
  expect(roles(saga("agent: a"))).toEqual([
    ["WORKFLOW_ROLE", "no step of this saga says how it is undone"],
  ]);
  expect(roles("name: trip\npattern: saga\nagents: [{ id: a }]\n")).toEqual([
    ["WORKFLOW_ROLE", "a saga is made of steps, and has none"],
  ]);
});

test("what undoes a step has the agent, the time and the surroundings of the step [PAT-more.saga]", () => {
  const undoing = (step: string) => load(saga(step)).definition?.steps[0]?.compensate;
  expect(undoing("agent: a, timeout: 2m, compensate: { prompt: x }")).toEqual({
    timeoutMs: 120_000,
    agent: "a",
    prompt: "x",
  });
  expect(
    undoing("command: x, cwd: sub, env: { A: b }, passEnv: [C], compensate: { command: [y] }"),
  ).toEqual({
    timeoutMs: 300_000,
    run: { command: ["y"], cwd: "/project/sub", env: { A: "b" }, passEnv: ["C"] },
  });
});
