import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { armFiles, armGitDirectory, layTrap, type Trap } from "./armed-repository.ts";
import { createVictim, type Victim } from "./victim.ts";

const IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];

function git(cwd: string, ...args: string[]): string {
  const off = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];
  return execFileSync("git", [...IDENTITY, ...off, ...args], { cwd, encoding: "utf8" }).trim();
}

// Its own calls of git come before the arms, so that whatever springs them is Troupe.
const AGENT_ARMS = `set -e
git() { env -i PATH="$PATH" HOME=/nowhere GIT_CONFIG_NOSYSTEM=1 git -c user.name=a -c user.email=a@b "$@"; }
git init -q nest && printf x > nest/a.txt && git -C nest add a.txt && git -C nest commit -q -m x
mv .git/config .git/config.armed && mv .git/hooks .git/hooks.armed && mv .git/info/attributes .git/attributes.armed
git update-index --add --cacheinfo 160000,$(git -C nest rev-parse HEAD),nest
mv .git/config.armed .git/config && mv .git/hooks.armed .git/hooks && mv .git/attributes.armed .git/info/attributes
cp -r "$ARMS"/. nest/.git/ && cp .gitattributes nest/
printf dirty >> nest/a.txt; printf agent >> a.txt; printf new > new.txt
`;

const WORKFLOW = `name: armed
pattern: pipeline
agents:
  - { id: teller, backend: command, command: ["cat"] }
  - id: bound
    backend: script
    constraints: { fileScope: { exclude: ["kept/**"] }, readOnly: ["*.md"] }
    script: [ { do: [ { write: { path: b.txt, content: "b" } } ], say: "DONE: ok" } ]
  - id: maker
    backend: script
    script: [ { do: [ { run: "sh ../arm.sh" } ], say: "DONE: ok" } ]
  - id: apart
    backend: script
    isolation: worktree
    script: [ { do: [ { write: { path: c.txt, content: "c" } } ], say: "DONE: ok" } ]
steps:
  - { id: before, agent: teller, prompt: "{{git.branch}} {{git.diff}}" }
  - { id: bounded, agent: bound, prompt: "work", verify: [ { gitChanged: true } ] }
  - { id: nests, agent: maker, prompt: "work", verify: [ { gitChanged: true } ] }
  - { id: aside, agent: apart, prompt: "work" }
  - { id: after, agent: teller, prompt: "{{git.branch}} {{git.diff}}" }
`;

/** A project whose repository names programs wherever it can; nothing was started by making it. */
function armedProject(trap: Trap, victim: Victim, attributes: string): void {
  const { project } = victim;
  git(project, "init", "--quiet", "--initial-branch", "main");
  writeFileSync(join(project, "a.txt"), "a\n");
  writeFileSync(join(project, ".gitignore"), "ignored\n");
  armFiles(project, attributes);
  git(project, "add", "--all", ".", ":!.troupe");
  git(project, "commit", "--quiet", "-m", "first");
  armGitDirectory(join(project, ".git"), trap);
  const arms = join(project, "..", "arms");
  mkdirSync(arms);
  armGitDirectory(arms, trap);
  execFileSync("git", [
    "config",
    "--file",
    join(arms, "config"),
    "core.repositoryformatversion",
    "0",
  ]);
  execFileSync("git", [
    "config",
    "--file",
    join(arms, "config"),
    "--unset",
    "extensions.partialClone",
  ]);
  writeFileSync(join(project, "..", "arm.sh"), AGENT_ARMS.replaceAll("$ARMS", arms));
}

test.each([
  ["whose files belong through filters", "filter=armed diff=armed merge=armed", 2],
  ["with every other program", "diff=armed merge=armed", 0],
])(
  "no command of Troupe starts anything that a repository %s, a nested one or a worktree names [SEC-4.read, SEC-4.write, SEC-4.nested, T18]",
  async (_name, attributes, merged) => {
    const victim = createVictim({ "armed.yaml": WORKFLOW });
    const { project } = victim;
    const trap = layTrap(join(project, "..", "trap"));
    armedProject(trap, victim, attributes);
    const tell = async (...args: readonly string[]) => {
      const { out, err, exitCode } = await victim.troupe(...args);
      expect(`${args.join(" ")} → ${trap.sprung()}`).toBe(`${args.join(" ")} → `);
      return { out, err, exitCode };
    };
    await tell("doctor");
    await tell("validate", "armed.yaml");
    await tell("plan", "armed.yaml", "do it");
    const ran = await tell("run", "armed.yaml", "do it");
    expect(ran.out).toContain("nests");
    const [run = ""] = readdirSync(join(project, ".troupe/runs")).filter((name) =>
      name.startsWith("run_"),
    );
    await tell("show", "@last", "--diff");
    await tell("rerun", "@last", "--from", "after");
    await tell("report", "@last");
    await tell("init", "--yes");
    const [tree] = worktreesOf(project);
    if (tree !== undefined) armGitDirectory(tree, trap, "config.worktree");
    writeFileSync(join(project, "a.txt"), "a\n");
    writeFileSync(join(project, ".gitignore"), "ignored\n");
    git(project, "read-tree", "HEAD");
    const merge = await tell("merge", run);
    expect(merge.exitCode, merge.err).toBe(merged);
    await tell("merge", run, "--abort");
    expect(trap.sprung()).toBe("");
    // The arms work: git itself, as a person starts it, springs them.
    const commit = ["commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", "x"];
    spawnSync("git", [...IDENTITY, ...commit], { cwd: project, stdio: "ignore" });
    expect(trap.sprung()).not.toBe("");
  },
);

function worktreesOf(project: string): readonly string[] {
  const parent = join(project, ".git/worktrees");
  try {
    return readdirSync(parent).map((name) => join(parent, name));
  } catch {
    return [];
  }
}

test("an agent that only speaks has changed nothing, though Troupe writes beside it [T18]", async () => {
  const victim = createVictim({
    "quiet.yaml": `name: quiet
pattern: dag
agents: [ { id: talker, backend: script, script: [ { say: "DONE: done" } ] } ]
steps: [ { id: talk, agent: talker, prompt: "work", verify: [ { gitChanged: true } ] } ]
`,
  });
  const { project } = victim;
  git(project, "init", "--quiet");
  git(project, "add", "quiet.yaml");
  git(project, "commit", "--quiet", "-m", "first");
  const ended = await victim.troupe("run", "quiet.yaml");
  expect(ended.exitCode).toBe(1);
  const diff = await victim.troupe("show", "@last", "--diff");
  expect(diff.out).not.toContain(".troupe");
  expect(readFileSync(join(project, "quiet.yaml"), "utf8")).toContain("quiet");
});
