import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { CliCommand } from "../../src/cli/command/command.ts";
import { loadCommands } from "../../src/cli/registry.ts";
import { type CommandRows, rowsOfCommands } from "./every-command-rows.ts";
import { type Called, call, type FakeIoOptions } from "./fake-io.ts";
import { staticImports } from "./static-imports.ts";
import { ONE_STEP, QUESTION } from "./workflows.ts";

const commands = await loadCommands();

const roots = { project: "", home: "" };

beforeAll(async () => {
  roots.home = mkdtempSync(join(tmpdir(), "troupe-home-"));
  roots.project = mkdtempSync(join(tmpdir(), "troupe-table-"));
  const { project } = roots;
  mkdirSync(join(project, ".troupe"));
  mkdirSync(join(project, "workflows"));
  writeFileSync(join(project, "one.yaml"), ONE_STEP);
  writeFileSync(
    join(project, "one.test.yaml"),
    "version: 1\nworkflow: one.yaml\ncases: [{ name: one, task: x, default: [{ say: 'DONE: x' }] }]\n",
  );
  writeFileSync(join(project, "broken.yaml"), ONE_STEP.replace("agent: coder", "agent: codr"));
  writeFileSync(join(project, "question.yaml"), QUESTION);
  writeFileSync(
    join(project, "foreign.flow"),
    "agents: { a: { runtime: codex } }\nkickoff: go @a\n",
  );
  writeFileSync(join(project, "notes.txt"), "buy: [milk\n");
  for (const instance of ["a", "b"]) {
    const args = ["one.yaml", "x", "--cassette", "question.yaml", "--instance", instance, "-q"];
    expect(await type(project, ["run", ...args])).toMatchObject({ exitCode: 3 });
  }
});

afterAll(() => {
  for (const root of Object.values(roots)) rmSync(root, { recursive: true, force: true });
});

test("every command has rows in the table, and the table has no others", () => {
  const names = commands.map(({ name }) => name);
  expect(Object.keys(rowsOfCommands).sort()).toEqual([...names].sort());
});

const cases = commands.map((command) => ({
  name: command.name,
  command,
  rows: rowsOfCommands[command.name] ?? { operands: [], wrong: [] },
}));
const jsonCases = cases.filter(({ command }) =>
  command.options?.some(({ flags }) => flags === "--json"),
);

test.each(cases)(
  "troupe $name tells what was typed wrong, and nothing of it is a fault [CLI-1]",
  async ({ name, command, rows }) => {
    const told: string[] = [];
    for (const line of wrongLines(command, rows)) {
      const called = await type(roots.project, [name, ...line]);
      assertTellable(called, [name, ...line]);
      told.push(transcript([name, ...line], called, rows));
    }
    const file = `golden/every-command/${name}.txt`;
    await expect(`${told.join("\n")}\n`).toMatchFileSnapshot(file);
  },
);

test.each(cases)(
  "troupe $name in an empty directory leaves no file there unless that is what it is for [CLI-1]",
  async ({ name, rows }) => {
    const empty = mkdtempSync(join(tmpdir(), "troupe-empty-"));
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
    const line = [name, ...(rows.alone ?? [])];
    const called = await type(empty, line);
    assertTellable(called, line);
    const isWritten = readdirSync(empty).length > 0;
    expect(isWritten).toBe(rows.writes === true);
    if (isWritten) return;
    const file = `golden/every-command/${name}-in-nothing.txt`;
    await expect(transcript(line, called, rows)).toMatchFileSnapshot(file);
  },
);

test.each(cases)(
  "troupe $name --help names every option and argument, and loads nothing of what it does [CLI-1]",
  async ({ name, command }) => {
    const { exitCode, out } = await type(roots.project, [name, "--help"]);
    expect(exitCode).toBe(0);
    const { options = [], arguments: taken = [] } = command;
    for (const { flags, isHidden } of options)
      expect(out.includes(`  ${flags} `) || out.includes(`  ${flags}\n`), flags).toBe(!isHidden);
    for (const { about } of taken) expect(out.replaceAll(/\s+/g, " ")).toContain(about);
    const source = join(process.cwd(), `src/cli/commands/${name}.ts`);
    expect([...staticImports(source)].filter((path) => path.includes("/actions/"))).toEqual([]);
  },
);

test.each(jsonCases)(
  "troupe $name --json tells a mistake as JSON and nothing else [CLI-1]",
  async ({ name, command, rows }) => {
    for (const line of wrongLines(command, rows)) {
      const args = [name, "--json", ...line];
      const { exitCode, out, err } = await type(roots.project, args);
      if (exitCode === 0) continue;
      const isStream = command.printsEvents !== undefined && !line.includes("--explain");
      const [told, other] = isStream ? [err, out] : [out, err];
      expect(other, args.join(" ")).toBe("");
      expect(JSON.parse(told), args.join(" ")).toMatchObject({ v: 1 });
    }
  },
);

test.each(cases)(
  "troupe $name ends the same with --quiet, NO_COLOR and a home that cannot be [CLI-1]",
  async ({ name, command, rows }) => {
    // With another home the runs are somebody else's, and the name of an agent means the newest of them.
    if (name === "peek") return;
    const unreal = join(roots.project, "one.yaml", "home");
    const env = { HOME: unreal, XDG_CONFIG_HOME: unreal, NO_COLOR: "1" };
    for (const line of [rows.alone ?? [], ...wrongLines(command, rows).slice(-1)]) {
      const args = [name, ...line, "--quiet", "--no-input"];
      if (line === rows.alone || (line.length === 0 && rows.writes === true)) continue;
      const expected = await type(roots.project, args);
      const called = await type(roots.project, args, { env, isTerminal: true });
      assertTellable(called, args);
      expect(called.exitCode, args.join(" ")).toBe(expected.exitCode);
    }
  },
);

/** Types a line without a terminal, as a person whose home is empty. */
function type(
  cwd: string,
  args: readonly string[],
  options: Omit<FakeIoOptions, "cwd"> = {},
): Promise<Called> {
  const { home } = roots;
  const env = { HOME: home, XDG_RUNTIME_DIR: home, PATH: home, ...options.env };
  return call(cwd, args, { ...options, env });
}

function wrongLines(command: CliCommand, { operands, wrong }: CommandRows): readonly string[][] {
  const { arguments: taken = [], options = [] } = command;
  const isOpen = taken.some(({ name }) => name.includes("..."));
  const needsOperands = taken.some(({ name }) => name.startsWith("<"));
  const ofOptions = options.flatMap(({ flags, choices }) => {
    const [, flag = "", kind = ""] = /(--?[\w-]+)(?: <([^>]+)>)?$/.exec(flags) ?? [];
    if (kind === "") return [];
    const isRead = choices !== undefined || /^(number|duration|usd)$/.test(kind);
    return [[...operands, flag], ...(isRead ? [[...operands, flag, "much"]] : [])];
  });
  return [
    ...(needsOperands ? [[]] : []),
    ...(isOpen ? [] : [[...taken.map(() => "one"), "too", "many"]]),
    [...operands, "--no-such-option"],
    ...ofOptions,
    ...wrong.map((line) => line.split(" ").map((word) => (word === "''" ? "" : word))),
  ];
}

function assertTellable({ exitCode, out, err }: Called, args: readonly string[]): void {
  const line = args.join(" ");
  expect([0, 1, 2, 3, 4, 5, 6], `${line}\n${err}`).toContain(exitCode);
  expect(`${out}${err}`, line).not.toMatch(/\n\s+at .*\.ts:|\[object |undefined|NaN/);
  expect(`${out}${err}`, line).not.toContain("\u001b");
}

function transcript(
  args: readonly string[],
  { exitCode, out, err }: Called,
  { isOutputKept = true }: CommandRows,
): string {
  const typed = args.map((arg) => (arg === "" ? "''" : arg)).join(" ");
  const told = isOutputKept || out.startsWith('{"v":1,"error"') ? out : "";
  const text = stable(`${told}${err}`);
  const lines = text.split("\n").filter((line) => line !== "");
  return [`$ troupe ${typed}  (${exitCode})`, ...lines.map((line) => `  ${line}`), ""].join("\n");
}

/** Without what differs from run to run, such as which names of runs are known by now; times in hints stay. */
function stable(text: string): string {
  return text
    .replaceAll(roots.project, "PROJECT")
    .replaceAll(roots.home, "HOME")
    .replaceAll(/\/\S*troupe-empty-\w+/g, "EMPTY")
    .replaceAll(/\b(run|qst)_[0-9a-z]{6}\b/g, "$1_ID")
    .replaceAll(/\bruns: run_ID.*/g, "runs: run_ID, …")
    .replaceAll(/\bevents 1 to \d+/g, "events 1 to LAST")
    .replaceAll(/^\d\d:\d\d:\d\d/gm, "00:00:00")
    .replaceAll(/ in \d+(\.\d+)?m?s\b/g, " in 0ms");
}
