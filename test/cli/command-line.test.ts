import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadCommands } from "../../src/cli/registry.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { call, createFakeIo } from "./fake-io.ts";
import { staticImports } from "./static-imports.ts";

const commands = await loadCommands();

const cwd = process.cwd();

test("help lists every command and fits in 80 columns [CLI-1]", async () => {
  const { exitCode, out, err } = await call(cwd, ["--help"]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  for (const { name } of commands) expect(out).toContain(`  ${name} `);
  expect(tooWide(out)).toEqual([]);
});

test.each(commands.map(({ name }) => [name]))("the help of %s fits in 80 columns", async (name) => {
  const { exitCode, out } = await call(cwd, [name, "--help"]);
  expect(exitCode).toBe(0);
  expect(out).toMatch(new RegExp(`^Usage: troupe ${name}(\\|\\w+)? `));
  expect(tooWide(out)).toEqual([]);
});

test("troupe without a command prints help and never starts a run", async () => {
  const [bare, help] = [await call(cwd, []), await call(cwd, ["help"])];
  expect(bare.exitCode).toBe(0);
  expect(bare.out).toBe(help.out);
});

test("help reads nothing but commander: neither zod nor YAML nor SQLite [CLI-1]", () => {
  const loaded = [...staticImports(join(cwd, "src/main.ts"))].filter(
    (name) => !name.startsWith("/"),
  );
  const builtIn = loaded.filter((name) => name.startsWith("node:"));
  expect(loaded.filter((name) => !builtIn.includes(name))).toEqual(["commander"]);
  expect(builtIn).not.toContain("node:sqlite");
});

test.each([
  [["rnu"], `unknown command 'rnu'`, "did you mean run?"],
  [["runs", "--jsn"], `unknown option '--jsn'`, "did you mean --json?"],
  [["--iter", "5", "x"], "unknown option '--iter'", "= write troupe iter CONDITION TASK\n"],
  [["--collab", "x"], "unknown option '--collab'", "= write troupe collab GOAL\n"],
  [["run"], `missing required argument 'file'`, "troupe help"],
  [["run", "a.yaml", "two", "words"], "too many arguments for 'run'", "troupe help"],
  [["run", "a.yaml", "--approve", "maybe"], "Allowed choices are ask, all, none.", "troupe help"],
  [["run", "a.yaml", "--progress", "bar"], "Allowed choices are auto, tty, plain, json, none.", ""],
  [["explain"], "missing required argument 'code'", ""],
])(
  "the command line %j is refused with exit code 2 and a hint [CLI-1]",
  async (args, problem, hint) => {
    const { exitCode, out, err } = await call(cwd, args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toMatch(/^error\[USAGE_INVALID\]: /);
    expect(err).toContain(problem);
    expect(err).toContain(hint);
  },
);

test("the version is that of the package", async () => {
  const manifest: unknown = JSON.parse(readFileSync(join(cwd, "package.json"), "utf8"));
  const { out } = await call(cwd, ["--version"]);
  expect(manifest).toMatchObject({ version: out.trim() });
});

test.each([
  { where: "a pipe", isColored: false },
  { where: "a terminal", isTerminal: true, isColored: true },
  { where: "a terminal with NO_COLOR", isTerminal: true, env: { NO_COLOR: "1" }, isColored: false },
  { where: "a dumb terminal", isTerminal: true, env: { TERM: "dumb" }, isColored: false },
  { where: "a pipe with FORCE_COLOR", env: { FORCE_COLOR: "1", NO_COLOR: "1" }, isColored: true },
  { where: "a pipe with --color always", flags: ["--color", "always"], isColored: true },
  {
    where: "a terminal with --color never",
    isTerminal: true,
    flags: ["--color", "never"],
    isColored: false,
  },
])("on $where colours are as asked for [CLI-1]", async ({ flags = [], isColored, ...options }) => {
  const { err } = await call(cwd, ["explain", "NO_SUCH_CODE", ...flags], options);
  expect(err.includes("\u001b[")).toBe(isColored);
});

test("a directory that does not exist is a usage error", async () => {
  const { exitCode, err } = await call(cwd, ["runs", "-C", "no/such/place"]);
  expect(exitCode).toBe(2);
  expect(err).toContain("error[RUN_DIRECTORY_NOT_FOUND]");
});

test("an error that nobody foresaw is exit code 70, and its trace is shown only on request [CLI-1]", async () => {
  const broken = {
    name: "broken",
    group: "Run",
    authority: "reads",
    summary: "throws",
    load: async () => () => Promise.reject(new Error("boom")),
  } as const;
  const [quiet, verbose] = [createFakeIo(), createFakeIo()];
  expect(await runCli(["broken"], quiet, [broken])).toBe(70);
  expect(await runCli(["broken", "--verbose"], verbose, [broken])).toBe(70);
  expect(quiet.err()).toContain("error[INTERNAL]: boom");
  expect(quiet.err()).not.toContain("command-line.test.ts");
  expect(verbose.err()).toContain("command-line.test.ts");
});

function tooWide(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.length > 80);
}
