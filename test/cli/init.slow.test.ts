import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { call, createFakeIo } from "./fake-io.ts";

/** A directory with nothing but the files given. */
function directory(files: { readonly [path: string]: string } = {}): string {
  const root = mkdtempSync(join(tmpdir(), "troupe-init-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Everything in a directory that is a file. */
function filesOf(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

const read = (root: string, path: string) => readFileSync(join(root, path), "utf8");

const SCRIPTS = JSON.stringify({
  scripts: { typecheck: "tsc --noEmit", lint: "eslint .", test: "node --test" },
});

describe("init without a template", () => {
  test("writes a workflow that is valid and runs in an empty directory [WF-6.overrides, CLI-1]", async () => {
    const cwd = directory();
    const { exitCode, out, err } = await call(cwd, ["init"]);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(filesOf(cwd)).toEqual([
      ".troupe/schema/cassette.json",
      ...filesOf(cwd).filter((path) => path === ".troupe/schema/config.json"),
      ".troupe/schema/test.json",
      ".troupe/schema/workflow.json",
      "workflows/survey.yaml",
    ]);
    expect(out.trimEnd().split("\n").at(-1)).toBe("  troupe run workflows/survey.yaml");
    expect(out).toContain("✔ workflows/survey.yaml is valid");
    const [header] = read(cwd, "workflows/survey.yaml").split("\n");
    expect(header).toBe("# yaml-language-server: $schema=../.troupe/schema/workflow.json");
    const run = await call(cwd, ["run", "workflows/survey.yaml", "-C", cwd, "--quiet"]);
    expect(run).toMatchObject({ exitCode: 0, err: "" });
    expect(run.out).toContain("machine: completed");
  });

  test("uses the project's own commands, side by side [WF-6.overrides]", async () => {
    const cwd = directory({ "package.json": SCRIPTS });
    const { exitCode, out } = await call(cwd, ["init", "--name", "gate"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("troupe run workflows/gate.yaml");
    const text = read(cwd, "workflows/gate.yaml");
    for (const script of ["typecheck", "lint", "test"])
      expect(text).toContain(`command: ["npm", "run", "--silent", "${script}"]`);
    expect(text).toContain("dependsOn: [types, lint, test]");
  });

  test("a git repository gets ignore lines once, beside those that are there [CLI-1]", async () => {
    const cwd = directory({ ".git/HEAD": "", ".gitignore": "dist/\r\n.troupe/runs/" });
    await call(cwd, ["init"]);
    const lines = "dist/\r\n.troupe/runs/\r\n.troupe/index.db*\r\n.troupe/context/\r\n";
    expect(read(cwd, ".gitignore")).toBe(lines);
    expect((await call(cwd, ["init", "refactor"])).exitCode).toBe(0);
    expect(read(cwd, ".gitignore")).toBe(lines);
  });

  test("ignore lines that cover all of .troupe are enough [CLI-1]", async () => {
    const cwd = directory({ ".git/HEAD": "", ".gitignore": "/.troupe/\n" });
    await call(cwd, ["init"]);
    expect(read(cwd, ".gitignore")).toBe("/.troupe/\n");
  });
});

describe("init with a template", () => {
  test("writes its text under its own name, to be changed [WF-6.overrides]", async () => {
    const cwd = directory();
    const args = ["init", "code-review", "--name", "pr", "--count", "2"];
    const { exitCode, out } = await call(cwd, args);
    expect(exitCode).toBe(0);
    expect(out).toContain('troupe run workflows/pr.yaml "what to do" --backend script');
    const text = read(cwd, "workflows/pr.yaml");
    expect(text.split("\n").slice(1, 4)).toEqual([
      '# troupe run workflows/pr.yaml "the changes of this branch"',
      'version: "1.0"',
      "name: pr",
    ]);
    expect(text).toContain("id: reviewer-2,");
    expect(text).not.toContain("reviewer-3");
  });

  test.each([
    [["init", "code-reviw"], "WORKFLOW_UNKNOWN_TEMPLATE"],
    [["init", "../code-review"], "WORKFLOW_UNKNOWN_TEMPLATE"],
    [["init", "--name", "../out"], "WORKFLOW_ID"],
    [["init", "--name", ""], "WORKFLOW_ID"],
    [["init", "--count", "3"], "USAGE_INVALID"],
    [["init", "refactor", "--count", "3"], "WORKFLOW_TEMPLATE_COUNT"],
  ])("%j is refused with %s and nothing is written [CLI-1]", async (args, code) => {
    const cwd = directory();
    const { exitCode, err } = await call(cwd, args);
    expect(exitCode).toBe(2);
    expect(err).toContain(`error[${code}]`);
    expect(filesOf(cwd)).toEqual([]);
  });
});

describe("what is there already", () => {
  test("the second init in the same place changes nothing and says what to do [CLI-1]", async () => {
    const cwd = directory();
    await call(cwd, ["init"]);
    writeFileSync(join(cwd, "workflows/survey.yaml"), "mine");
    const before = filesOf(cwd);
    const { exitCode, err } = await call(cwd, ["init"]);
    expect(exitCode).toBe(2);
    expect(err).toContain("error[FILE_EXISTS]: workflows/survey.yaml exists");
    expect(err).toContain("--force");
    expect(read(cwd, "workflows/survey.yaml")).toBe("mine");
    expect(filesOf(cwd)).toEqual(before);
  });

  test("--force replaces the workflow and the schemas, and leaves no copy behind [CLI-1]", async () => {
    const cwd = directory({
      "workflows/survey.yaml": "mine",
      ".troupe/schema/workflow.json": "old",
    });
    const { exitCode, out } = await call(cwd, ["init", "--force"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("wrote workflows/survey.yaml");
    expect(read(cwd, ".troupe/schema/workflow.json")).toContain('"properties"');
    expect(readdirSync(join(cwd, "workflows"))).toEqual(["survey.yaml"]);
  });

  test("a schema of another version is kept and named [CLI-1]", async () => {
    const cwd = directory({ ".troupe/schema/workflow.json": "old" });
    const { exitCode, out } = await call(cwd, ["init"]);
    expect(exitCode).toBe(0);
    expect(out).toContain("kept .troupe/schema/workflow.json, which differs");
    expect(read(cwd, ".troupe/schema/workflow.json")).toBe("old");
  });
});

describe("the places that init writes to", () => {
  test("a directory that cannot be written to is told before anything is written [CLI-1]", async () => {
    const cwd = directory();
    // Nobody may write here, root included.
    symlinkSync("/proc/self/fdinfo", join(cwd, "here"));
    const { exitCode, err } = await call(cwd, ["init", "-C", "here"]);
    expect(exitCode).toBe(2);
    expect(err).toMatch(/error\[FILE_WRITE_REFUSED\]: .* nothing was written/);
  });

  test("a directory without the right to write is refused [CLI-1]", async ({ skip }) => {
    skip(process.getuid?.() === 0, "as root, who may write anywhere");
    const cwd = directory();
    chmodSync(cwd, 0o555);
    expect((await call(cwd, ["init"])).err).toContain("error[FILE_WRITE_REFUSED]");
    chmodSync(cwd, 0o755);
  });

  test.each(["workflows", ".troupe", ".vscode"])(
    "a link %s that leads out of the directory is refused [CLI-1, T8]",
    async (name) => {
      const [cwd, elsewhere] = [directory(), directory()];
      symlinkSync(elsewhere, join(cwd, name));
      const { exitCode, err } = await call(cwd, ["init", "--vscode"]);
      // A linked `.troupe` is refused before any command begins.
      const isProject = name === ".troupe";
      expect(exitCode).toBe(isProject ? 1 : 2);
      expect(err).toContain(
        isProject ? "error[PROJECT_FOREIGN]" : `error[FILE_LEADS_OUT]: ${name} is a link`,
      );
      expect([filesOf(elsewhere), existsSync(join(cwd, "workflows/survey.yaml"))]).toEqual([
        [],
        false,
      ]);
    },
  );

  test("a link in the place of a file is neither followed nor replaced [CLI-1, T8]", async () => {
    const cwd = directory({ ".git/HEAD": "", ".troupe/schema/x": "" });
    const elsewhere = directory({ passwd: "root" });
    symlinkSync(join(elsewhere, "passwd"), join(cwd, ".gitignore"));
    const { exitCode, err } = await call(cwd, ["init", "--force"]);
    expect(exitCode).toBe(2);
    expect(err).toContain("error[FILE_LEADS_OUT]: .gitignore is a link");
    expect(read(elsewhere, "passwd")).toBe("root");
    expect(existsSync(join(cwd, "workflows"))).toBe(false);
  });

  test("a file in the place of a directory is refused before anything is written [CLI-1]", async () => {
    const cwd = directory({ workflows: "a file" });
    const { exitCode, err } = await call(cwd, ["init"]);
    expect(exitCode).toBe(2);
    expect(err).toContain("workflows is no directory");
    expect(filesOf(cwd)).toEqual(["workflows"]);
  });
});

describe("VS Code", () => {
  test("learns of the schema on request, and a second time changes nothing [CLI-1]", async () => {
    const cwd = directory({
      ".vscode/settings.json": '{\n  // ours\n  "editor.tabSize": 2, // two\n}\n',
    });
    await call(cwd, ["init", "--vscode"]);
    const text = read(cwd, ".vscode/settings.json");
    expect(text).toBe(
      '{\n  "yaml.schemas": { "./.troupe/schema/workflow.json": "workflows/*.yaml" },\n  // ours\n  "editor.tabSize": 2, // two\n}\n',
    );
    await call(cwd, ["init", "refactor", "--vscode"]);
    expect(read(cwd, ".vscode/settings.json")).toBe(text);
  });

  test("settings that cannot be added to safely are left alone, and the line is printed [CLI-1]", async () => {
    const cwd = directory({ ".vscode/settings.json": '{ "yaml.schemas": [' });
    const { exitCode, out } = await call(cwd, ["init", "--vscode"]);
    expect(exitCode).toBe(0);
    expect(out).toContain('add to .vscode/settings.json yourself: "yaml.schemas": {');
    expect(read(cwd, ".vscode/settings.json")).toBe('{ "yaml.schemas": [');
  });

  test("is left alone without the flag [CLI-1]", async () => {
    const cwd = directory();
    await call(cwd, ["init", "-y"]);
    expect(existsSync(join(cwd, ".vscode"))).toBe(false);
  });
});

describe("on a terminal", () => {
  test("init asks for what was not given, and asks again for what cannot be [CLI-1]", async () => {
    const cwd = directory({ "workflows/taken.yaml": "" });
    const io = createFakeIo({ cwd, isTerminal: true });
    const done = runCli(["init"], io);
    await io.seen("Start from");
    for (const line of ["nothing", "code-review", "two words", "taken", "mine", "y"]) io.type(line);
    expect(await done).toBe(0);
    expect(io.out()).toContain("use letters, digits, _ and -");
    expect(io.out()).toContain("workflows/taken.yaml exists");
    expect(read(cwd, "workflows/mine.yaml")).toContain("id: reviewer-3,");
    expect(existsSync(join(cwd, ".vscode/settings.json"))).toBe(true);
  });

  test("empty answers and -y come to the same [CLI-1]", async () => {
    const [asked, told] = [directory(), directory()];
    const io = createFakeIo({ cwd: asked, isTerminal: true });
    const done = runCli(["init"], io);
    await io.seen("Start from");
    for (const _ of ["template", "name", "editor"]) io.type("");
    expect(await done).toBe(0);
    const quick = createFakeIo({ cwd: told, isTerminal: true });
    expect(await runCli(["init", "-y"], quick)).toBe(0);
    expect(filesOf(asked)).toEqual(filesOf(told));
    expect(quick.out()).not.toContain("Start from");
  });
});
