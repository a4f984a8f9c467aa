import { stripVTControlCharacters } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { widthOf } from "../../../src/cli/terminal/measure.ts";
import { call, createProject } from "../fake-io.ts";
import { finishedProject } from "../finished-project.ts";

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

const LONG_RUN = {
  files: { "long.yaml": FILE, "turns.yaml": TURNS },
  commands: [["run", "long.yaml", "x", "--cassette", "turns.yaml"]],
};
const waiting = finishedProject(LONG_RUN);

async function projectWithRun(): Promise<string> {
  const cwd = createProject(LONG_RUN.files);
  for (const args of LONG_RUN.commands) await call(cwd, args);
  return cwd;
}

const LISTS = ["runs", "list", "inbox", "away --no-mark", "cost", "show", "logs", "peek @last", ""];

test.each([60, 80, 120, 200])(
  "every list fits %i columns, in colour and without [USE-6.fit]",
  async (columns) => {
    const cwd = waiting();
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

/** With the same ids, whenever it was. */
function withoutIds(text: string, cwd: string): string {
  return text
    .replaceAll(cwd, "PROJECT")
    .replaceAll(/\b(run|prm)_[0-9a-z]{6}\b/g, "$1_aaaaaa")
    .replaceAll(/^\d\d:\d\d:\d\d/gm, "00:00:00");
}

test.each([
  ["Unicode", "C.UTF-8"],
  ["ASCII", "C"],
])("every list looks as it is kept, at every width, in %s [USE-6.fit]", async (name, LC_ALL) => {
  // Nothing takes any time, so that all columns are as wide as they are kept.
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.UTC(2026, 0, 1) });
  onTestFinished(() => void vi.useRealTimers());
  const cwd = await projectWithRun();
  const pictures: string[] = [];
  for (const list of LISTS)
    for (const columns of [60, 80, 120, 200]) {
      const args = list.split(" ").filter((word) => word !== "");
      const env = { NO_COLOR: "1", LC_ALL };
      const { out } = await call(cwd, args, { isTerminal: true, columns, rows: 30, env });
      pictures.push(`== troupe ${list}, ${columns} columns\n${withoutIds(out, cwd)}`);
    }
  await expect(pictures.join("\n")).toMatchFileSnapshot(`golden/lists-${name}.txt`);
});

test("an edit is asked as a diff, wherever it is asked [USE-5.texts]", async () => {
  const cwd = waiting();
  const { out } = await call(cwd, ["inbox"]);
  expect(out).toContain('"Edit src/deploy.sh (+1 -1)"');
  const [id = ""] = /prm_\w{6}/.exec(out) ?? [];
  const whole = (await call(cwd, ["inbox", id])).out;
  expect(whole).toContain(
    "  wants to call Edit src/deploy.sh (+1 -1)\n  - push one\n  + push two\n    end\n",
  );
  expect((await call(cwd, ["logs"])).out).toMatch(/ {4}- push one\n.+ {4}\+ push two\n/u);
});
