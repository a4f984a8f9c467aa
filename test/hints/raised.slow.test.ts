import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { errorCatalog } from "../../src/app/catalogue/error-catalog.ts";
import * as cliErrors from "../../src/cli/command/errors.ts";
import { call } from "../cli/fake-io.ts";
import { temporaryDirectory } from "../programs/temporary-directory.ts";
import { RAISED_ROWS, type RaisedRow } from "./raised-rows.ts";
import { RAISED_TOOL_ROWS } from "./raised-tool-rows.ts";
import { NOT_AT_WILL } from "./unraised-codes.ts";

/** What a person reads who does this. */
async function saidOf({ files, args, before = [], env, isRepository }: RaisedRow): Promise<string> {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, ".troupe"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const shell = (text: string) =>
    execFileSync("sh", ["-ec", text], { cwd: directory, env: { ...process.env, ...AUTHOR } });
  const surroundings = {
    ...{ TROUPE_HOME: join(directory, "home"), XDG_RUNTIME_DIR: join(directory, "run") },
    ...env,
  };
  const troupe = (words: readonly string[]) => call(directory, words, { env: surroundings });
  if (isRepository) shell("git init -q");
  for (const line of before) {
    const [program, ...words] = line.split(" ");
    await (program === "troupe" ? troupe(words) : shell(line));
  }
  const { out, err } = await troupe(args);
  return out + err;
}

/** Who commits, wherever the tests run. */
const AUTHOR = {
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@localhost",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@localhost",
};

test.each([...RAISED_ROWS, ...RAISED_TOOL_ROWS])(
  "$code is what a person reads who does what leads to it",
  async (row) => {
    expect(await saidOf(row)).toContain(row.code);
  },
);

test("a run that one of its agents ended says what to do about it [USE-1.told]", async () => {
  const row = RAISED_ROWS.find(({ code }) => code === "AGENT_FAILED_THE_RUN");
  expect(row).toBeDefined();
  const said = row === undefined ? "" : await saidOf({ ...row, args: ["run", "flow.yaml", "go"] });
  expect(said).toContain("with `errorHandling.onFailure: continue` the others go on without it");
});

test("a pattern that asks for another one is told that steps carry out patterns", async () => {
  const row = RAISED_ROWS.find(({ code }) => code === "WORKFLOW_UNKNOWN_PATTERN");
  expect(row === undefined ? "" : await saidOf(row)).toContain("steps of type pattern do");
});

test("every code of the catalogue is raised by a test, or why it cannot be is said", () => {
  const named = codesOfTests();
  const unraised = [...errorCatalog(cliErrors).keys()].filter((code) => !named.has(code));
  expect(unraised.toSorted()).toEqual(Object.keys(NOT_AT_WILL).toSorted());
});

/** Every word in the tests that is written like a code, without the list of those that no test raises. */
function codesOfTests(): ReadonlySet<string> {
  const files = globSync("test/**/*.{ts,txt}").filter(
    (file) => !file.endsWith("unraised-codes.ts"),
  );
  const words = files.flatMap(
    (file) => readFileSync(file, "utf8").match(/\b[A-Z]+(?:_[A-Z0-9]+)+\b/g) ?? [],
  );
  return new Set(words);
}
