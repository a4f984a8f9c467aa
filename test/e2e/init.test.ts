import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { troupe } from "./troupe-process.ts";

const bin = join(import.meta.dirname, "../../bin/troupe.js");

/** A directory with nothing but the files given. */
function directory(files: { readonly [path: string]: string } = {}): string {
  const root = mkdtempSync(join(tmpdir(), "troupe-init-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  return root;
}

const manifest = (test: string) =>
  JSON.stringify({
    scripts: { typecheck: "node -e 0", lint: "node -e 0", test },
  });

test("in an empty directory init, validate and run follow each other without a change [WF-6.overrides, CLI-1]", async () => {
  const cwd = directory();
  const init = await troupe(cwd, ["init"]);
  expect(init).toMatchObject({ exitCode: 0, err: "" });
  const next = init.out.trimEnd().split("\n").at(-1)?.trim().split(" ") ?? [];
  expect(next.slice(0, 2)).toEqual(["troupe", "run"]);
  expect(await troupe(cwd, ["validate", next[2] ?? ""])).toMatchObject({ exitCode: 0, err: "" });
  const run = await troupe(cwd, next.slice(1));
  expect(run).toMatchObject({ exitCode: 0, err: "" });
  expect(run.out).toContain("✔ done in");
  expect(await troupe(cwd, ["init"])).toMatchObject({ exitCode: 2 });
});

test("in a git repository with scripts the project's own checks run, and runs stay out of git [WF-6.overrides, CLI-1]", async () => {
  const cwd = directory({ "package.json": manifest("node -e \"console.log('all fine')\"") });
  execFileSync("git", ["init", "--quiet"], { cwd });
  expect((await troupe(cwd, ["init"])).exitCode).toBe(0);
  const run = await troupe(cwd, ["run", "workflows/check.yaml"]);
  expect(run).toMatchObject({ exitCode: 0, err: "" });
  expect(run.out).toContain("all fine");
  expect(run.out).toContain("test: completed");
  const status = execFileSync("git", ["status", "--short", "-uall"], { cwd, encoding: "utf8" });
  expect(
    status
      .trimEnd()
      .split("\n")
      .map((line) => line.slice(3)),
  ).toEqual([
    ".gitignore",
    ...readdirSync(join(cwd, ".troupe/schema")).map((name) => `.troupe/schema/${name}`),
    "package.json",
    "workflows/check.yaml",
  ]);
});

test("a check of the project that fails is told as what it is [WF-6.overrides]", async () => {
  const cwd = directory({
    "package.json": manifest("node -e \"console.error('1 of 3 failed'); process.exit(1)\""),
  });
  expect((await troupe(cwd, ["init"])).exitCode).toBe(0);
  const run = await troupe(cwd, ["run", "workflows/check.yaml"]);
  expect(run.exitCode).toBe(1);
  expect(run.out).toContain("1 of 3 failed");
});

test("every template runs from the file that init wrote, with scripted agents [WF-6.overrides]", async () => {
  const cwd = directory();
  for (const name of ["feature-dev", "code-review", "security-audit"]) {
    expect((await troupe(cwd, ["init", name])).exitCode).toBe(0);
    const run = await troupe(cwd, ["run", `workflows/${name}.yaml`, "x", "--backend", "script"]);
    expect(run).toMatchObject({ exitCode: 0, err: "" });
  }
});

test("without the right to write nothing is written and the exit code is 2 [CLI-1]", async () => {
  const isRoot = process.getuid?.() === 0;
  const cwd = directory();
  chmodSync(cwd, 0o555);
  onTestFinished(() => chmodSync(cwd, 0o755));
  // Rights do not bind root, so a process of root becomes nobody.
  const { status, stderr } = spawnSync(process.execPath, [bin, "init"], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: "/nowhere", NODE_DISABLE_COMPILE_CACHE: "1" },
    ...(isRoot ? { uid: 65_534, gid: 65_534 } : {}),
  });
  expect(status).toBe(2);
  expect(stderr).toContain("error[FILE_WRITE_REFUSED]");
  expect(stderr).toContain("nothing was written");
  expect(readdirSync(cwd)).toEqual([]);
});

test("bash completes commands, templates and runs, and runs nothing that a name says [CLI-1, T6]", async () => {
  const cwd = directory({ "$(touch pwned).yaml": "", "good.yaml": "", "`touch pwned`.yaml": "" });
  mkdirSync(join(cwd, ".troupe/runs/run_abc123"), { recursive: true });
  mkdirSync(join(cwd, ".troupe/runs/run_$(touch pwned)"));
  const path = directory({ troupe: `#!/bin/sh\nexec ${process.execPath} ${bin} "$@"\n` });
  chmodSync(join(path, "troupe"), 0o755);
  const ask = (line: string, word: string) => {
    const script = `source <(troupe completion bash); COMP_LINE="$1"; COMP_POINT=\${#1}; COMP_WORDS=(troupe "$2"); COMP_CWORD=1; _troupe; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { status, stdout } = spawnSync("bash", ["-c", script, "bash", line, word], {
      cwd,
      encoding: "utf8",
      env: { ...process.env, PATH: `${path}:${process.env["PATH"]}` },
    });
    expect(status).toBe(0);
    return stdout.trimEnd().split("\n");
  };
  expect(ask("troupe ru", "ru")).toEqual(["run", "runs"]);
  expect(ask("troupe run go", "go")).toEqual(["good.yaml"]);
  expect(ask("troupe run $(touch pwned) ", "")).toEqual([""]);
  expect(ask("troupe show ", "")).toEqual(["@last", "@failed", "run_abc123"]);
  expect(readdirSync(cwd)).not.toContain("pwned");
});
