import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBashLine, shellAnswer } from "../../src/cli/actions/completion.ts";
import { parseCommandLine } from "../../src/cli/command/parse-command-line.ts";
import { SHELLS } from "../../src/cli/complete/shell-scripts.ts";
import { loadCommands } from "../../src/cli/registry.ts";
import { call, createFakeIo, createProject } from "./fake-io.ts";
import { staticImports } from "./static-imports.ts";
import { ASKING, CASSETTE, ONE_STEP, TWO_STEPS } from "./workflows.ts";

const commands = await loadCommands();

/** What may stand at the end of these words, in a project. */
async function complete(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  const { exitCode, out, err } = await call(cwd, ["completion", "fish", "--", ...words]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  return out === ""
    ? []
    : out
        .trimEnd()
        .split("\n")
        .map((line) => line.split("\t")[0] ?? "");
}

const here = process.cwd();

function problemOf(action: () => unknown): string {
  try {
    action();
    return "";
  } catch (error) {
    return String(error);
  }
}

describe("commands and options", () => {
  test("every command is offered, and help [CLI-1]", async () => {
    const names = commands.map(({ name }) => name);
    expect(await complete(here, "")).toEqual([...names, "help"]);
    expect(await complete(here, "help", "")).toEqual([...names, "help"]);
    expect(await complete(here, "--no-input", "-C", "run", "ru")).toEqual(["run", "runs"]);
  });

  test.each(commands.map(({ name }) => [name]))(
    "the options of %s are those that its help shows [CLI-1]",
    async (name) => {
      const { out } = await call(here, [name, "--help"]);
      const shown = [...out.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
      expect(new Set(await complete(here, name, "--"))).toEqual(new Set(shown));
    },
  );

  test.each(commands.map(({ name }) => [name]))(
    "the parser knows every option that is offered for %s [CLI-1]",
    async (name) => {
      const command = commands.filter((candidate) => candidate.name === name);
      for (const flag of await complete(here, name, "-")) {
        const parse = () => parseCommandLine([name, flag], command, createFakeIo());
        // What else may be missing is another matter.
        expect(problemOf(parse)).not.toContain("unknown option");
      }
      expect(
        problemOf(() => parseCommandLine([name, "--no-such-option"], command, createFakeIo())),
      ).toContain("unknown option");
    },
  );

  test("options are not offered after -- and not as values [CLI-1]", async () => {
    expect(await complete(here, "run", "--", "--")).toEqual([]);
    expect(await complete(here, "run", "--approve", "")).toEqual(["ask", "all", "none"]);
    expect(await complete(here, "run", "--approve=a")).toEqual(["--approve=ask", "--approve=all"]);
    expect(await complete(here, "logs", "--json", "--fo")).toEqual(["--follow"]);
  });
});

describe("live values", () => {
  test("runs, their agents and steps come from the project [CLI-1]", async () => {
    const cwd = createProject({ "two.yaml": TWO_STEPS, "c.yaml": CASSETTE });
    expect(await complete(cwd, "show", "")).toEqual([]);
    const { out } = await call(cwd, ["run", "two.yaml", "x", "--cassette", "c.yaml", "--json"]);
    const id = /"run":"(run_\w+)"/.exec(out)?.[1] ?? "none";
    expect(await complete(cwd, "show", "")).toEqual(["@last", "@failed", id]);
    expect(await complete(cwd, "show", id.slice(0, 6))).toEqual([id]);
    expect(await complete(cwd, "logs", "--agent", "")).toEqual(["planner", "check"]);
    expect(await complete(cwd, "logs", id, "--step=")).toEqual(["--step=plan", "--step=verify"]);
    expect(await complete(cwd, "logs", "run_none00", "--step", "")).toEqual([]);
  });

  test("targets are the agents alive, their instances and their runs [KCK-8, CLI-1]", async () => {
    const cwd = createProject({ "one.yaml": ONE_STEP, "c.yaml": ASKING, "done.yaml": CASSETTE });
    for (const [cassette, instance] of [
      ["done.yaml", "pr-1"],
      ["c.yaml", "pr-2"],
    ] as const)
      await call(cwd, ["run", "one.yaml", "x", "--cassette", cassette, "--instance", instance]);
    const live = ["coder@pr-2", "@pr-2", expect.stringMatching(/^run_/)];
    for (const words of [
      ["send", ""],
      ["ask", "--to", ""],
      ["peek", ""],
      ["attach", ""],
    ])
      expect(await complete(cwd, ...words)).toEqual(live);
    expect(await complete(cwd, "send", "hello", "--to", "@")).toEqual(["@pr-2"]);
  });

  test("workflows are the templates, the files and the way to further ones [CLI-1]", async () => {
    const cwd = createProject({ "a.yaml": "", "b.json": "", "c.txt": "" });
    mkdirSync(join(cwd, "workflows"));
    writeFileSync(join(cwd, "workflows/d.yml"), "");
    const offered = await complete(cwd, "run", "");
    expect(offered).toContain("feature-dev");
    expect(offered.slice(6)).toEqual(["a.yaml", "workflows/"]);
    expect(await complete(cwd, "run", "b")).toEqual(["bug-fix", "brainstorm", "b.json"]);
    expect(await complete(cwd, "validate", "a.yaml", "workflows/")).toEqual(["workflows/d.yml"]);
    expect(await complete(cwd, "run", "--input", "c")).toEqual(["c.txt"]);
    expect(await complete(cwd, "templates", "")).toEqual(["show"]);
    expect(await complete(cwd, "templates", "show", "re")).toEqual(["refactor"]);
  });

  test("a graph is drawn of a run or a workflow, and an agent of run is no agent of a run [CLI-1]", async () => {
    const cwd = createProject({ "a.yaml": "" });
    mkdirSync(join(cwd, ".troupe/runs/run_abc123"), { recursive: true });
    expect(await complete(cwd, "graph", "")).toEqual(
      expect.arrayContaining(["run_abc123", "feature-dev", "a.yaml"]),
    );
    expect(await complete(cwd, "run", "--agent", "")).toEqual([]);
  });

  test("error codes and shells are offered where they belong [CLI-1]", async () => {
    expect(await complete(here, "explain", "WORKFLOW_CY")).toEqual(["WORKFLOW_CYCLE"]);
    expect(await complete(here, "completion", "z")).toEqual(["zsh"]);
  });

  test("a project that cannot be read has nothing to offer and no error [CLI-1]", async () => {
    const cwd = createProject();
    mkdirSync(join(cwd, ".troupe/runs/run_broken"), { recursive: true });
    writeFileSync(join(cwd, ".troupe/runs/run_broken/journal.db"), "no database");
    expect(await complete(cwd, "logs", "--agent", "")).toEqual([]);
    expect(await complete(cwd, "approve", "")).toEqual([]);
    expect(await complete(cwd, "run", "no/such/place/")).toEqual([]);
    expect(await complete(cwd, "-C", "/no/such", "show", "")).toEqual([
      "@last",
      "@failed",
      "run_broken",
    ]);
  });
});

test.each([
  "src/cli/actions/completion.ts",
  "src/app/setup/completion/project-values.ts",
  "src/app/setup/completion/run-values.ts",
  "src/app/catalogue/error-catalog.ts",
])("%s loads no package, because somebody waits for a key [CLI-1]", (file) => {
  const loaded = [...staticImports(join(here, file))].filter((name) => !name.startsWith("/"));
  expect(loaded.filter((name) => !name.startsWith("node:"))).toEqual([]);
});

describe("what a shell gets", () => {
  test.each([
    "$(touch x)",
    "`id`",
    "a b",
    "a;b",
    "a'b",
    'a"b',
    "a\nb",
    "a\u001b[31m",
    "*",
    "~x",
    "!x",
    "a\\b",
    "a|b",
    "#a",
    "{a,b}",
    "a\u202eb",
    "<x",
  ])("the name %j is not offered, because a shell could read more into it [T6, T12]", (value) => {
    for (const shell of SHELLS) expect(shellAnswer([{ value }], shell, "")).toEqual([]);
  });

  test("names of other languages and signs of ids are offered [CLI-1]", () => {
    const values = ["größe.yaml", "工作.yaml", "@last", "a@b", "--x=y", "a/b_c-1.2"];
    const candidates = values.map((value) => ({ value }));
    expect(shellAnswer(candidates, "bash", "")).toEqual(values);
  });

  test("descriptions are one harmless line, in the form of each shell [CLI-1, T12]", () => {
    const candidates = [{ value: "a:b", about: "x\n\u001b[31m: y" }];
    expect(SHELLS.map((shell) => shellAnswer(candidates, shell, ""))).toEqual([
      ["a:b"],
      ["a\\:b:x : y"],
      ["a:b\tx : y"],
      ["a:b\tx : y"],
    ]);
    expect(shellAnswer([{ value: "@last" }], "powershell", "")).toEqual(["'@last'\t@last"]);
  });

  test.each<
    readonly [
      typed: readonly [line: string, part: string],
      words: readonly string[],
      hidden: string,
    ]
  >([
    [["troupe ru", "ru"], ["ru"], ""],
    [["troupe run ", ""], ["run", ""], ""],
    [["troupe run x --approve=a", "a"], ["run", "x", "--approve=a"], "--approve="],
    [["troupe run x --approve=", "="], ["run", "x", "--approve="], "--approve="],
    // Bash counts the sign @ to what it replaces, though it breaks words there.
    [["troupe show @la", "la"], ["show", "@la"], ""],
    [["troupe show @", "@"], ["show", "@"], ""],
    [["troupe run 'a b' \"c d\" e\\ f", "f"], ["run", "a b", "c d", "e f"], "e "],
    [["troupe run 'a b", "b"], ["run", "a b"], "a "],
    [["troupe run $(touch x) g", "g"], ["run", "$(touch", "x)", "g"], ""],
    [["", ""], [], ""],
  ])("bash's line %j is read without expanding anything [T6]", ([line, part], words, hidden) => {
    expect(readBashLine(line, part)).toEqual({ words, hidden });
  });

  test("the script of bash is one that bash accepts [CLI-1]", async () => {
    const { out } = await call(here, ["completion", "bash"]);
    expect(() => execFileSync("bash", ["-n"], { input: out })).not.toThrow();
  });

  test.each(SHELLS)("the script for %s evaluates nothing [T6]", async (shell) => {
    const { exitCode, out } = await call(here, ["completion", shell]);
    expect(exitCode).toBe(0);
    const code = out
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .join("\n");
    expect(code).not.toMatch(/\beval\b|compgen|Invoke-Expression/);
  });

  test("a shell that nobody knows is refused [CLI-1]", async () => {
    const { exitCode, err } = await call(here, ["completion", "tcsh"]);
    expect(exitCode).toBe(2);
    expect(err).toContain("Allowed choices are bash, zsh, fish, powershell.");
  });
});
