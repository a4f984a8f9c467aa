import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { widthOf } from "../../../src/cli/terminal/measure.ts";
import { call, createProject } from "../fake-io.ts";

const LONG = "a-rather-long-name-of-a-workflow-that-somebody-gave";
const FILE = `version: "1.0"
name: ${LONG}
pattern: dag
agents:
  - { id: coder-with-a-long-name, backend: script }
  - { id: helper, backend: script }
steps:
  - { id: plan-what-is-to-be-done-next, agent: coder-with-a-long-name, prompt: "{{task}}" }
  - { id: push, agent: helper, dependsOn: [plan-what-is-to-be-done-next] }
`;
const TURNS = `version: 1
agents:
  coder-with-a-long-name:
    - say: "DONE: ${"a long sentence 数据库 about what was done, ".repeat(8)}"
  helper:
    - do:
        - permission:
            tool: Edit
            input: { file_path: src/deploy.sh, old_string: "push one\\nend", new_string: "push two\\nend" }
      say: "DONE: pushed"
`;

async function projectWithRun(): Promise<string> {
  const cwd = createProject({ "long.yaml": FILE, "turns.yaml": TURNS });
  await call(cwd, ["run", "long.yaml", "x", "--cassette", "turns.yaml"]);
  return cwd;
}

const LISTS = ["runs", "list", "inbox", "away --no-mark", "cost", "show", "logs", "peek @last", ""];

test.each([60, 80, 120, 200])(
  "every list fits %i columns, in colour and without [USE-6.fit]",
  async (columns) => {
    const cwd = await projectWithRun();
    for (const list of LISTS) {
      const args = list.split(" ").filter((word) => word !== "");
      const screen = { isTerminal: true, columns, rows: 30 };
      const colored = await call(cwd, args, screen);
      const plain = await call(cwd, args, { ...screen, env: { NO_COLOR: "1" } });
      expect(plain.exitCode, list).toBe(0);
      expect(plain.out, list).not.toContain("\u001b");
      expect(colored.out, list).toContain("\u001b[");
      for (const line of `${plain.out}\n${stripVTControlCharacters(colored.out)}`.split("\n"))
        expect(widthOf(line), `${list}: ${line}`).toBeLessThanOrEqual(columns);
      expect((await call(cwd, args)).out, list).not.toContain("\u001b");
    }
  },
);

test("an edit is asked as a diff, wherever it is asked [USE-5.texts]", async () => {
  const cwd = await projectWithRun();
  const { out } = await call(cwd, ["inbox"]);
  expect(out).toContain('"Edit src/deploy.sh (+1 -1)"');
  const [id = ""] = /prm_\w{6}/.exec(out) ?? [];
  const whole = (await call(cwd, ["inbox", id])).out;
  expect(whole).toContain(
    "  wants to call Edit src/deploy.sh (+1 -1)\n  - push one\n  + push two\n    end\n",
  );
  expect((await call(cwd, ["logs"])).out).toMatch(/ {4}- push one\n.+ {4}\+ push two\n/u);
});
