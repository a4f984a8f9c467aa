import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

// A rerun goes on with what agents of reused steps left in their worktrees: who reads it sees it, and merge brings it.

const AGENTS = `agents:
  - { id: ann, backend: command, isolation: worktree, command: ["sh", "-c", "echo x >> worked; echo by ann >> a.txt; echo DONE: x"] }
  - { id: rev, backend: command, command: ["sh", "-c", "cat > seen.txt; test ! -e fails"] }
`;
const SHAPES = [
  [
    "a pipeline whose review reads the changes",
    `name: w
pattern: pipeline
${AGENTS}steps:
  - { id: code, agent: ann, prompt: go }
  - { id: review, agent: rev, prompt: "{{git.diff}}", dependsOn: [code] }
`,
    true,
  ],
  [
    "a dag in which nobody reads them",
    `name: w
pattern: dag
${AGENTS}steps:
  - { id: code, agent: ann, prompt: go }
  - { id: review, agent: rev, prompt: look, dependsOn: [code] }
`,
    false,
  ],
] as const;

/** A project whose review has failed once, after ann's work in her worktree. */
async function failedReview(workflow: string) {
  const home = createProject({});
  const cwd = createProject({ ".gitignore": "*\n!a.txt\n", "a.txt": "a\n", "w.yaml": workflow });
  const git = (...args: readonly string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" }).trim();
  };
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "-m", "files");
  const troupe = (...args: readonly string[]) =>
    call(cwd, args, { env: { TROUPE_HOME: home, XDG_RUNTIME_DIR: home, HOME: home } });
  writeFileSync(join(cwd, "fails"), "");
  expect((await troupe("run", "w.yaml")).exitCode).toBe(1);
  rmSync(join(cwd, "fails"));
  const run = JSON.parse((await troupe("runs", "--json")).out).runs[0].id;
  const read = (path: string) => readFileSync(join(cwd, path), "utf8");
  return { run, git, troupe, read };
}

test.each(SHAPES)(
  "a rerun of %s does not repeat work in a worktree, and its own branch has it [ENG-15, AGT-13]",
  async (_shape, workflow, isRead) => {
    const { run, git, troupe, read } = await failedReview(workflow);
    const { out, exitCode } = await troupe("rerun", run, "--failed");
    expect(exitCode, out).toBe(0);
    expect(out).toContain(`reused from ${run}`);
    if (isRead) expect(read("seen.txt")).toContain("+by ann");
    expect((await troupe("merge", "@last")).exitCode).toBe(0);
    expect(read("a.txt")).toBe("a\nby ann\n");
    expect(git("branch", "--format=%(refname:short)").split("\n")).toEqual([
      "main",
      `troupe/${run}/ann`,
    ]);
  },
);

test("a rerun that an agent does not join says which run has its work [ENG-15, AGT-13]", async () => {
  const { run, troupe, read } = await failedReview(`id: w
${AGENTS}steps:
  - { id: code, type: agent, agent: ann, prompt: go, next: review }
  - { id: review, type: agent, agent: rev, prompt: look }
`);
  const { out, exitCode } = await troupe("rerun", run, "--failed");
  expect(exitCode, out).toBe(0);
  expect(out).toMatch(
    new RegExp(
      `the work of ann stays on its branch of ${run} \\(commit \\w+\\); to merge it: troupe merge ${run}`,
    ),
  );
  expect((await troupe("merge", run)).exitCode).toBe(0);
  expect(read("a.txt")).toBe("a\nby ann\n");
});

test("a rerun of a rerun that an agent did not join still names the run that has its work [ENG-15, AGT-13]", async () => {
  const { run, troupe } = await failedReview(`id: w
${AGENTS}steps:
  - { id: code, type: agent, agent: ann, prompt: go, next: review }
  - { id: review, type: agent, agent: rev, prompt: look }
`);
  expect((await troupe("rerun", run, "--from", "review")).exitCode).toBe(0);
  const { out } = await troupe("rerun", "@last", "--from", "review");
  expect(out).toContain(`to merge it: troupe merge ${run}`);
});

test("a rerun after its earlier run was merged shows the reviewer the changes, and has nothing more to merge [ENG-15, AGT-13]", async () => {
  const { run, git, troupe, read } = await failedReview(SHAPES[0][1]);
  expect((await troupe("merge", run)).exitCode).toBe(0);
  expect((await troupe("rerun", run, "--failed")).exitCode).toBe(0);
  expect(read("seen.txt")).toContain("+by ann");
  const merged = await troupe("merge", "@last");
  expect([merged.exitCode, read("a.txt")]).toEqual([0, "a\nby ann\n"]);
  expect(git("status", "--porcelain")).toBe("");
});

test("what an agent commits itself in its worktree is in the diff that its reviewer reads [AGT-13, AGT-16]", async () => {
  const commits = SHAPES[0][1].replace(
    "echo DONE: x",
    "git -c user.name=a -c user.email=a@x commit --quiet --all --message own; echo DONE: x",
  );
  const { read } = await failedReview(commits);
  expect(read("seen.txt")).toContain("+by ann");
});

test("a rerun whose earlier work is gone fails the step that reads it, and names the commit [ENG-15, AGT-13]", async () => {
  const { run, git, troupe } = await failedReview(SHAPES[0][1]);
  const commit = git("rev-parse", `troupe/${run}/ann`);
  git("worktree", "remove", "--force", `.troupe/runs/${run}/worktrees/ann`);
  git("branch", "-D", `troupe/${run}/ann`);
  git("reflog", "expire", "--expire=now", "--all");
  git("gc", "--quiet", "--prune=now");
  const { out, exitCode } = await troupe("rerun", run, "--failed");
  expect(exitCode).toBe(1);
  expect(out).toContain("[AGENT_WORKTREE_IMPOSSIBLE]");
  expect(out).toContain(`commit ${commit}, which it needs from ${run}, is gone`);
});
