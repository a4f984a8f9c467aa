import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { withSchema } from "../../../../src/app/setup/init/editor-settings.ts";
import { findChecks } from "../../../../src/app/setup/init/project-checks.ts";
import { chooseStarter, starterText } from "../../../../src/app/setup/init/starter-text.ts";
import { lookAround } from "../../../../src/app/setup/init/surroundings.ts";
import { writeFiles } from "../../../../src/app/setup/write-files.ts";
import { parseWorkflow } from "../../../../src/workflows/parse-workflow.ts";
import { loadOptions } from "../../../workflows/load-options.ts";

function directory(files: { readonly [path: string]: string } = {}): string {
  const root = mkdtempSync(join(tmpdir(), "troupe-init-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: 0o755 });
  }
  return root;
}

const manifest = (parts: object) => JSON.stringify(parts);

describe("the checks of a project", () => {
  test.each([
    ["nothing", {}, []],
    [
      "scripts",
      { "package.json": manifest({ scripts: { lint: "x", test: "y" } }) },
      ["npm run --silent lint", "npm run --silent test"],
    ],
    [
      "a lockfile of pnpm",
      { "package.json": manifest({ scripts: { test: "y" } }), "pnpm-lock.yaml": "" },
      ["pnpm run test"],
    ],
    [
      "a declared manager",
      { "package.json": manifest({ scripts: { test: "y" }, packageManager: "yarn@4.1.0" }) },
      ["yarn run test"],
    ],
    [
      "an unknown manager",
      { "package.json": manifest({ scripts: { test: "y" }, packageManager: "$(x)@1" }) },
      ["npm run --silent test"],
    ],
    [
      "the test of npm init",
      {
        "package.json": manifest({
          scripts: { test: 'echo "Error: no test specified" && exit 1' },
        }),
      },
      [],
    ],
    [
      "a test that watches",
      { "package.json": manifest({ scripts: { test: "jest --watch" } }) },
      [],
    ],
    [
      "a test that does not",
      { "package.json": manifest({ scripts: { test: "ng test --watch=false" } }) },
      ["npm run --silent test"],
    ],
    [
      "a script of another name",
      { "package.json": manifest({ scripts: { "type-check": "x", deploy: "y" } }) },
      ["npm run --silent type-check"],
    ],
    [
      "packages that are installed",
      {
        "package.json": manifest({ scripts: { test: "y" }, dependencies: { a: "1" } }),
        "node_modules/a/x": "",
      },
      ["npm run --silent test"],
    ],
    [
      "packages that are not installed",
      { "package.json": manifest({ scripts: { test: "y" }, devDependencies: { a: "1" } }) },
      [],
    ],
    ["a broken manifest", { "package.json": "{" }, []],
    ["Rust", { "Cargo.toml": "" }, ["cargo check --quiet", "cargo test --quiet"]],
    ["Go", { "go.mod": "" }, ["go vet ./...", "go test ./..."]],
    [
      "Python",
      { "pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]\n" },
      ["ruff check .", "pytest -q"],
    ],
    ["a Makefile", { Makefile: "lint: x\n\techo\ntest:=no\n" }, ["make -s lint"]],
    [
      "scripts before a Makefile",
      { "package.json": manifest({ scripts: { test: "y" } }), Makefile: "test:\nlint:\n" },
      ["make -s lint", "npm run --silent test"],
    ],
  ])("come from %s [WF-6.overrides]", async (_, files, commands) => {
    const { checks } = await findChecks(directory(files), () => true);
    expect(checks.map(({ command }) => command.join(" "))).toEqual(commands);
  });

  test("are left out, and that is told, when their program is not here [WF-6.overrides]", async () => {
    const found = await findChecks(
      directory({ "go.mod": "", Makefile: "test:\n" }),
      (name) => name !== "go",
    );
    expect(found).toEqual({
      checks: [{ id: "test", command: ["make", "-s", "test"] }],
      notes: ["go is not on PATH, so its checks are left out"],
    });
  });
});

test("agents are found on PATH by name, none in the directory itself or its packages [WF-6.overrides, T18]", async () => {
  const cwd = directory({
    claude: "",
    "node_modules/.bin/codex": "",
    "bin/gemini": "",
    ".git/HEAD": "",
  });
  const PATH = [".", join(cwd, "node_modules/.bin"), join(cwd, "bin")].join(":");
  const { agents, isInGit } = await lookAround(cwd, { env: { PATH }, settings: {} });
  expect(agents.map(({ backend }) => backend)).toEqual(["gemini"]);
  expect(isInGit).toBe(true);
});

test("the first workflow is summed up by the first agent that is ready, else by a command [WF-6.overrides, WF-12.order]", async () => {
  const state = (backend: string, status: "ready" | "signed-out") =>
    ({ backend, status, program: `/bin/${backend}`, message: "" }) as const;
  const found = {
    ...{ isInGit: false, checks: [], notes: [], hasProgram: () => true },
    agents: [state("claude", "signed-out"), state("gemini", "ready"), state("aider", "ready")],
  };
  const text = starterText("survey", chooseStarter(found));
  expect(text).toContain("- { id: summary, backend: gemini, permissionMode: plan }");
  const { definition, problems } = parseWorkflow(text, "survey.yaml", loadOptions);
  expect(problems).toEqual([]);
  expect(definition?.agents.at(-1)).toMatchObject({ backend: "gemini", permissionMode: "plan" });
  const agents = [state("claude", "signed-out"), state("aider", "ready")];
  expect(starterText("survey", chooseStarter({ ...found, agents }))).toContain(
    "- { id: summary, backend: command,",
  );
  const keyed = chooseStarter({ ...found, agents, model: "openai/gpt-5.1" });
  expect(starterText("survey", keyed)).toContain(
    "- { id: summary, model: openai/gpt-5.1, permissionMode: plan }",
  );
  expect(starterText("survey", chooseStarter({ ...found, model: "openai/gpt-5.1" }))).toContain(
    "backend: gemini",
  );
});

describe("the settings of VS Code", () => {
  const SCHEMA = "./.troupe/schema/workflow.json";

  test.each([
    ["nothing", undefined],
    ["an empty file", " \n"],
    ["an empty object", "{}"],
    ["a comma at the end", '{ "a": [1, 2,], }'],
    ["comments", '/* { */ {\n  // "yaml.schemas": {}\n  "a": "{"\n}'],
    ["other schemas", '{ "yaml.schemas": { "a.json": ["b.yaml"] }, "c": null }'],
  ])("get the schema when they hold %s, and lose nothing [CLI-1]", (_, text) => {
    const settings = withSchema(text);
    expect(settings.status).toBe("changed");
    if (settings.status !== "changed") return;
    expect(settings.text).toContain(SCHEMA);
    for (const part of (text ?? "").match(/\/\/.*|\/\*.*\*\/|"[^"]*"/g) ?? [])
      expect(settings.text).toContain(part);
    expect(withSchema(settings.text)).toEqual({ status: "unchanged" });
  });

  test.each([
    "[]",
    "null",
    "{",
    '{ "yaml.schemas": "x" }',
    '{ "a": 1, "a": 2 }',
    '{ "__proto__": {} }',
  ])("%j is left alone [CLI-1]", (text) => {
    expect(withSchema(text)).toEqual({ status: "unclear" });
  });
});

describe("several files", () => {
  test("are taken back when one cannot be written after all [CLI-1]", async () => {
    const root = directory({ "kept.txt": "before" });
    const written = writeFiles(root, [
      { path: "kept.txt", text: "after", mode: "replace" },
      { path: "a/b/new.txt", text: "new", mode: "create" },
      // Free when it was checked, taken when it is written.
      { path: "a/b/new.txt", text: "newer", mode: "create" },
    ]);
    await expect(written).rejects.toMatchObject({ code: "FILE_WRITE_REFUSED" });
    expect(readdirSync(root)).toEqual(["kept.txt"]);
    expect(readFileSync(join(root, "kept.txt"), "utf8")).toBe("before");
  });
});

test("who sums up the checks of a project gets the error of each that failed [FIX-4]", () => {
  const found = { isInGit: false, agents: [], hasProgram: () => true, model: undefined, notes: [] };
  const checks = [{ id: "test", command: ["npm", "test"] }] as const;
  expect(starterText("check", chooseStarter({ ...found, checks }))).toContain(
    "{{steps.test.error}}",
  );
  expect(starterText("survey", chooseStarter({ ...found, checks: [] }))).not.toContain(".error}}");
});
