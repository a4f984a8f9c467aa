import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";

const FILES = 1500;
const WORKFLOW = `name: w
pattern: pipeline
agents:
  - { id: ann, backend: command, isolation: worktree, command: "echo new > new.txt; echo 'DONE: made it'" }
steps:
  - { id: s, agent: ann, prompt: go }
`;

function git(cwd: string, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=u", "-c", "user.email=u@x"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" }).trim();
}

/** Resolves as soon as files appear in a directory below the project that is not there yet. */
async function filledBelow(cwd: string, isBegun: () => boolean): Promise<void> {
  if (isBegun()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(join(cwd, ".troupe"), { recursive: true }, () => {
    if (isBegun()) resolve();
  });
  await promise;
  watcher.close();
}

test("a run killed while it fills a worktree goes on with all files, and its merge brings the work alone [AGT-22.trees]", async () => {
  const files = Array.from({ length: FILES }, (_, index) => [`src/f${index}.txt`, `${index}\n`]);
  const cwd = createProject({
    ...Object.fromEntries(files),
    ".gitignore": ".troupe/\n",
    "wf.yaml": WORKFLOW,
  });
  git(cwd, "init", "-qb", "main");
  git(cwd, "add", "--all");
  git(cwd, "commit", "-qm", "begin");
  const base = git(cwd, "rev-parse", "HEAD");
  const runs = join(cwd, ".troupe/runs");
  const trees = () => {
    const [run] = existsSync(runs)
      ? readdirSync(runs).filter((name) => name.startsWith("run_"))
      : [];
    return run === undefined ? undefined : join(runs, run, "worktrees");
  };
  const first = startTroupe(cwd, ["run", "wf.yaml"]);
  await filledBelow(cwd, () => existsSync(join(trees() ?? "", ".making/ann/src")));
  first.kill("SIGKILL");
  await first.ended;
  expect(existsSync(join(trees() ?? "", "ann"))).toBe(false);
  expect((await troupe(cwd, ["resume", "@last"])).exitCode).toBe(0);
  const branch = git(cwd, "for-each-ref", "--format=%(refname:short)", "refs/heads/troupe");
  expect(git(cwd, "diff", "--name-status", base, branch)).toBe("A\tnew.txt");
  expect((await troupe(cwd, ["merge", "@last"])).exitCode).toBe(0);
  for (const [path = "", text] of files) expect(readFileSync(join(cwd, path), "utf8")).toBe(text);
  expect(git(cwd, "status", "--porcelain")).toBe("");
  expect(readdirSync(join(cwd, ".git/worktrees"))).toEqual([]);
});
