import { expect, test } from "vitest";
import { load, problemsOf } from "./load-options.ts";

const file = (agent: string) =>
  `name: f\npattern: dag\nagents: [{ id: a, backend: script, ${agent} }]\nsteps: [{ id: s, agent: a }]\n`;

test("places and constraints of agents come into the definition; `none` and nothing do not [AGT-12, AGT-13]", () => {
  const placed = (agent: string) => {
    const [spec] = load(file(agent)).definition?.agents ?? [];
    return { isolation: spec?.isolation, constraints: spec?.constraints };
  };
  expect(placed("isolation: worktree")).toEqual({ isolation: "worktree", constraints: undefined });
  expect(placed("isolation: none, constraints: { maxTokens: 5 }")).toEqual({
    isolation: undefined,
    constraints: undefined,
  });
  const bounds =
    'fileScope: { include: ["src/**"], exclude: ["**/*.test.ts"] }, readOnly: [package.json], network: false';
  expect(placed(`isolation: sandbox, constraints: { ${bounds} }`)).toEqual({
    isolation: "sandbox",
    constraints: {
      fileScope: { include: ["src/**"], exclude: ["**/*.test.ts"] },
      readOnly: ["package.json"],
      network: false,
    },
  });
});

test.each([
  [
    'constraints: { readOnly: ["../x"] }',
    'WORKFLOW_VALUE 3:62 agents.a.constraints.readOnly: "../x" leaves the agent\'s cwd',
  ],
  [
    "constraints: { readOnly: [/etc/passwd] }",
    'WORKFLOW_VALUE 3:62 agents.a.constraints.readOnly: "/etc/passwd" is no path below the agent\'s cwd',
  ],
  [
    'constraints: { fileScope: { include: ["a\\0b"] } }',
    'WORKFLOW_VALUE 3:74 agents.a.constraints.fileScope.include: "a\\u0000b" has a control character',
  ],
  [
    'constraints: { fileScope: { exclude: [""] } }',
    'WORKFLOW_VALUE 3:74 agents.a.constraints.fileScope.exclude: "" is empty',
  ],
  [
    "constraints: { network: false }",
    "WORKFLOW_VALUE 3:60 agents.a.constraints.network can only be false in a sandbox",
  ],
])("%s is refused at its place [AGT-12, T8]", (agent, problem) => {
  expect(problemsOf(file(agent))).toEqual([problem]);
});
