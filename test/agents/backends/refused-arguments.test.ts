import { expect, test } from "vitest";
import { AIDER } from "../../../src/agents/backends/aider/aider-descriptor.ts";
import { CLAUDE } from "../../../src/agents/backends/claude/claude-descriptor.ts";
import { CODEX } from "../../../src/agents/backends/codex/codex-descriptor.ts";
import { CURSOR } from "../../../src/agents/backends/cursor/cursor-descriptor.ts";
import { GEMINI } from "../../../src/agents/backends/gemini/gemini-descriptor.ts";
import { GOOSE } from "../../../src/agents/backends/goose/goose-descriptor.ts";
import { OPENCODE } from "../../../src/agents/backends/opencode/opencode-descriptor.ts";
import {
  assertArguments,
  refusedIn,
} from "../../../src/agents/backends/parts/refused-arguments.ts";
import { HARMLESS_LINES, REFUSED_LINES } from "./refused-lines.ts";

const TABLES = {
  claude: CLAUDE.refuses,
  codex: CODEX.refuses,
  gemini: GEMINI.refuses,
  opencode: OPENCODE.refuses,
  cursor: CURSOR.refuses,
  goose: GOOSE.refuses,
  aider: AIDER.refuses,
};

const CASES = Object.entries(REFUSED_LINES).flatMap(([name, lines]) =>
  lines.map((line) => [name, line]),
);

const isTable = (name: string): name is keyof typeof TABLES => name in TABLES;
const tableOf = (name = "") => {
  if (isTable(name)) return TABLES[name];
  throw new Error(`no table of ${name}`);
};

test.each(CASES)(
  "%s may not be called with `%s` [AGT-10, T18, PAT-task.refused]",
  (name = "", line = "") => {
    const args = line.split(" ");
    const table = tableOf(name);
    expect(refusedIn(args, table)).toBeDefined();
    // By the agent, by the configuration, and after others.
    const spec = { id: "worker", backend: name };
    const inSpec = { ...spec, settings: { args: ["--verbose", ...args] } };
    const error = expect.objectContaining({ code: "BACKEND_SETTINGS_INVALID" });
    expect(() => assertArguments(inSpec, undefined, table)).toThrow(error);
    expect(() => assertArguments(spec, { args }, table)).toThrow(error);
  },
);

test.each(HARMLESS_LINES)("%s may be called with `%s` [PAT-task.refused]", (name, line) => {
  expect(refusedIn(line.split(" "), tableOf(name))).toBeUndefined();
});

const WIDER = [
  ...["--add-dir /", "--add-dir=/", "--addDir=/", "--add_dir /", "--add-dir.x=/"],
  ...["--include-directories /", "--includeDirectories=/", "--writable-root=/"],
];

test.each(Object.keys(TABLES))("no argument widens what %s reaches [AGT-10, T18]", (name) => {
  const passed = WIDER.filter((line) => refusedIn(line.split(" "), tableOf(name)) === undefined);
  expect(passed).toEqual([]);
});

test("a command of the configuration may begin with another program, and holds no bypass either", () => {
  const spec = { id: "worker", backend: "gemini" };
  const run = (command: readonly string[]) => assertArguments(spec, { command }, GEMINI.refuses);
  expect(() => run(["docker", "run", "-e", "KEY", "-w", "/src", "gemini"])).not.toThrow();
  expect(() => run(["node", "gemini.js", "--yolo"])).toThrow("--yolo");
});
