import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

// The assertion is in the middle of what the tests print, and on the stream that has less to say.
const TESTS = "seq 1 200; (seq 1 100; echo 'AssertionError: 6 is not 7'; seq 101 200) >&2; exit 3";

const agents = 'agents: { fixer: { backend: command, command: "cat > told; echo fixed" } }';

const FILES: readonly (readonly [form: string, file: string])[] = [
  [
    "a pattern workflow, where the failure of the tests is allowed",
    `name: w
pattern: dag
${agents}
steps:
  - { id: test, command: "${TESTS}", allowFailure: true }
  - { id: fix, agent: fixer, dependsOn: [test], when: steps.test.exitCode != 0, prompt: "Make this pass: {{steps.test.error}}" }
`,
  ],
  [
    "a pattern workflow, where a failure has a step of its own",
    `name: w
pattern: dag
${agents}
steps:
  - { id: test, command: "${TESTS}" }
  - { id: fix, agent: fixer, dependsOn: [test], runs: on-failure, prompt: "Make this pass: {{steps.test.error}}" }
`,
  ],
  [
    "a step workflow",
    `id: w
${agents}
steps:
  - { id: test, type: shell, command: "${TESTS}", on_error: fix }
  - { id: fix, type: agent, agent: fixer, when: steps.test.error.code == "STEP_SHELL_FAILED", prompt: "Make this pass: {{steps.test.error}}" }
`,
  ],
  [
    "a command of a step workflow",
    `id: w
steps:
  - { id: test, type: shell, command: "${TESTS}", on_error: fix }
  - { id: fix, type: shell, command: 'printf "Make this pass: %s" "{{steps.test.error}}" > told' }
`,
  ],
  [
    "a pattern step, whose task says what failed",
    `id: w
${agents}
steps:
  - { id: test, type: shell, command: "${TESTS}", on_error: fix }
  - id: fix
    type: pattern
    pattern: dag
    task: "Make this pass: {{steps.test.error}}"
    steps: [{ id: repair, agent: fixer }]
`,
  ],
];

test.each(FILES)(
  "in %s whoever comes after the tests gets the assertion that failed [LANG-4.text]",
  async (_form, file) => {
    const cwd = createProject({ "w.yaml": file });
    const { out, err } = await call(cwd, ["run", "w.yaml", "go"]);
    const told = readFileSync(join(cwd, "told"), "utf8");
    expect(told, out + err).toContain("Make this pass:");
    expect(told).toContain("exit 3: AssertionError: 6 is not 7");
    expect(told).toContain("\n101\n");
    // A report, not all that was printed.
    expect(told.split("\n").length).toBeLessThan(70);
  },
);
