const agents = "agents:\n  - id: reviewer\n  - id: coder\n";
const head = `name: review\npattern: dag\n${agents}`;
const steps = (lines: string) => `${head}steps:\n${lines}`;

/** Pattern workflows with one mistake each, by the name of what is told of it. */
export const MISTAKES: readonly (readonly [name: string, text: string])[] = [
  [
    "unknown-key",
    `name: review\npattern: dag\nagents:\n  - id: reviewer\n    model: a/b\n    system_prompt: be kind\n`,
  ],
  [
    "list-expected",
    steps(
      "  - id: plan\n    agent: coder\n  - id: code\n    agent: reviewer\n    dependsOn: plan\n",
    ),
  ],
  ["unknown-agent", steps("  - id: plan\n    agent: reviewr\n  - id: code\n    agent: coder\n")],
  [
    "cycle",
    steps(
      "  - id: code\n    agent: coder\n    dependsOn: [test]\n  - id: test\n    agent: reviewer\n    dependsOn: [code]\n",
    ),
  ],
  [
    "unknown-variable",
    steps(
      "  - id: plan\n    agent: coder\n    prompt: |\n      Look at\n      {{tsk}} please\n  - id: x\n    agent: reviewer\n",
    ),
  ],
  [
    "not-upstream",
    steps(
      '  - id: plan\n    agent: coder\n  - id: code\n    agent: reviewer\n    prompt: "{{steps.plan.output}}"\n',
    ),
  ],
  [
    "condition",
    steps("  - id: plan\n    agent: coder\n    when: task = 1\n  - id: x\n    agent: reviewer\n"),
  ],
  [
    "duration",
    steps(
      "  - id: plan\n    agent: coder\n    timeout: 30\n  - id: x\n    agent: reviewer\n    timeout: 30 s\n",
    ),
  ],
  ["missing-keys", "pattern: dag\nagents:\n  - role: worker\n"],
  ["duplicate-id", steps("  - id: plan\n    agent: coder\n  - id: plan\n    agent: reviewer\n")],
  ["wrong-choice", "name: review\npattern: fanout\nagents: [{ id: a, role: boss }]\n"],
  [
    "not-supported",
    "name: again\npattern: iterate\nagents: [{ id: a }]\niterate: { count: 2 }\nreflection: { enabled: true }\n",
  ],
  ["shape", "name: review\nworkflow: dag\nagents: []\n"],
  ["tab", "name: review\npattern: dag\nagents:\n\t- id: a\n"],
  ["duplicate-key", `${head}name: again\n`],
  ["unclosed", 'name: review\npattern: "dag\nagents: []\n'],
  ["path-outside", "name: review\npattern: dag\nagents: [{ id: a, cwd: ../../etc }]\n"],
  ["unused-agent", steps("  - id: plan\n    agent: coder\n")],
];
