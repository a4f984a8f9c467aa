import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { call, createFakeIo, createProject } from "./fake-io.ts";

let cwd: string;
let env: { readonly [name: string]: string };

const many = Array.from({ length: 25 }, (_, index) => `many-${index}.txt`);

beforeEach(() => {
  const home = createProject({});
  env = { TROUPE_HOME: home, XDG_RUNTIME_DIR: home, HOME: home };
  const files = Object.fromEntries(many.map((name) => [name, `${name}\n`]));
  cwd = createProject({ ".gitignore": ".troupe\nteam.json\n", "a.txt": "a\n", ...files });
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "-m", "files");
});

function git(...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  return execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" }).trim();
}

const troupe = (...args: readonly string[]) => call(cwd, args, { env });
const read = (path: string) => readFileSync(join(cwd, path), "utf8");
const runs = () => readdirSync(join(cwd, ".troupe/runs")).filter((name) => name.startsWith("run_"));

/** A run whose agents each do what their command says; its id. */
async function work(commands: { readonly [agent: string]: string }): Promise<string> {
  const known = existsSync(join(cwd, ".troupe/runs")) ? runs() : [];
  const agents = Object.entries(commands).map(([id, command]) => ({
    ...{ id, backend: "command", isolation: "worktree", command: `${command}; echo DONE: ok` },
  }));
  const steps = agents.map(({ id }) => ({ id: `do-${id}`, agent: id, prompt: "work" }));
  const workflow = { version: "1.0", name: "team", pattern: "dag", agents, steps };
  writeFileSync(join(cwd, "team.json"), JSON.stringify(workflow));
  const { out, err, exitCode } = await troupe("run", "team.json");
  expect(exitCode, out + err).toBe(0);
  return runs().find((name) => !known.includes(name)) ?? "";
}

test("a branch that deletes much is shown, and merged only when somebody agrees [AGT-22.deletions]", async () => {
  const run = await work({ one: "rm many-*; echo new > new.txt; echo b > a.txt" });
  const before = git("rev-parse", "main");
  const shown = [
    `troupe/${run}/one: adds 1 file, changes 1 file, deletes 25 files`,
    ...[...many]
      .sort()
      .slice(0, 10)
      .map((name) => `  deletes ${name}`),
    "  and 15 more",
    "",
  ].join("\n");
  // Nobody can be asked.
  for (const flags of [[], ["--json"]]) {
    const refused = await troupe("merge", run, ...flags);
    expect([refused.exitCode, refused.out.startsWith(shown)]).toEqual([2, flags.length === 0]);
    expect(refused.out + refused.err).toContain("RUN_MERGE_DELETES");
    expect(refused.out + refused.err).toContain(`merge ${run} -y`);
  }
  const asked = async (answer: string) => {
    const io = createFakeIo({ cwd, env, isTerminal: true });
    const done = runCli(["merge", run, "--keep", "--color", "never"], io);
    await io.seen("merge, and delete 25 files? [y/N]");
    io.type(answer);
    return { exitCode: await done, out: io.out() };
  };
  const declined = await asked("n");
  expect([declined.exitCode, declined.out]).toEqual([
    1,
    expect.stringContaining("nothing was merged"),
  ]);
  expect(git("rev-parse", "main")).toBe(before);
  expect(git("status", "--porcelain")).toBe("");
  expect(existsSync(join(cwd, ".troupe/runs", run, "merge.json"))).toBe(false);
  expect((await asked("y")).exitCode).toBe(0);
  git("reset", "--quiet", "--hard", before);
  expect((await troupe("merge", run, "-y")).exitCode).toBe(0);
  expect(git("ls-files")).toBe(".gitignore\na.txt\nnew.txt");
});

test("files that move, and few that go, are merged without a question [AGT-22.deletions]", async () => {
  const run = await work({
    one: "mkdir moved; mv many-* moved; rm moved/many-0.txt; echo new > new.txt",
  });
  const merged = await troupe("merge", run);
  expect(merged.exitCode).toBe(0);
  expect(merged.out).toContain(
    `troupe/${run}/one: adds 25 files, deletes 25 files\n  deletes many-0.txt\n`,
  );
});

test("a merge that was cut off while it wrote is continued or aborted by the command, which names what you changed [AGT-22.merge]", async () => {
  const run = await work({
    one: "echo one > a.txt; echo one > many-0.txt; rm many-1.txt; echo n > new.txt",
  });
  const before = git("rev-parse", "HEAD");
  const cutOff = async () => {
    const lock = join(cwd, ".git/index.lock");
    writeFileSync(lock, "");
    expect(await troupe("merge", run)).toMatchObject({
      ...{ exitCode: 2, err: expect.stringContaining("RUN_MERGE_FAILED") },
    });
    rmSync(lock);
    expect(read("a.txt")).toBe("one\n");
  };
  await cutOff();
  expect((await troupe("merge", run)).err).toContain(`merge ${run} --continue`);
  writeFileSync(join(cwd, "many-0.txt"), "mine\n");
  const aborted = await troupe("merge", run, "--abort");
  expect([aborted.exitCode, aborted.out]).toEqual([
    0,
    `the merge of ${run} is given up; nothing was merged\nleft as they are, because they were changed since: 1 file\n  many-0.txt\n`,
  ]);
  expect(git("status", "--porcelain")).toBe("M many-0.txt");
  git("checkout", "--quiet", "many-0.txt");
  await cutOff();
  // The merge of another run neither begins over it nor loses it.
  const other = await work({ two: "echo two > two.txt" });
  expect((await troupe("merge", other)).err).toContain(`a merge of ${run} is under way`);
  expect(await troupe("merge", run, "--continue")).toMatchObject({ exitCode: 0 });
  expect([read("a.txt"), read("new.txt"), existsSync(join(cwd, "many-1.txt"))]).toEqual([
    "one\n",
    "n\n",
    false,
  ]);
  expect(git("log", "--first-parent", "--format=%s", `${before}..HEAD`)).toBe(
    `Merge one of ${run}`,
  );
  expect(git("status", "--porcelain")).toBe("");
  expect((await troupe("merge", other)).exitCode).toBe(0);
});

test("--into does not touch a branch that another working tree has, and says where it leaves this one [AGT-22.merge]", async () => {
  const run = await work({ one: "echo one > a.txt" });
  const place = join(createProject({}), "place");
  git("worktree", "add", "--quiet", "-b", "dev", place);
  const refused = await troupe("merge", run, "--into", "dev");
  expect(refused.exitCode).toBe(2);
  expect(refused.err).toContain("HOST_GIT_BRANCH_ELSEWHERE");
  expect(refused.err).toContain(place);
  expect(git("rev-parse", "--abbrev-ref", "HEAD")).toBe("main");
  expect(git("rev-parse", "dev")).toBe(git("rev-parse", "main"));
  const merged = await troupe("merge", run, "--into", "next", "--keep");
  expect(merged.out).toContain(`has next checked out now; back to main: git switch main\n`);
  expect(git("rev-parse", "--abbrev-ref", "HEAD")).toBe("next");
  // A look at an agent's branch is not cut off either.
  const look = join(createProject({}), "look");
  git("worktree", "add", "--quiet", "--force", look, `troupe/${run}/one`);
  git("switch", "--quiet", "main");
  const kept = await troupe("merge", run);
  expect(kept.out).toContain(`kept: troupe/${run}/one`);
  expect(git("rev-parse", `troupe/${run}/one`)).not.toBe("");
});

test("a merge that was committed and not verified is taken back by --abort, and what needs no verification counts [AGT-22.merge]", async () => {
  const run = await work({ one: "echo one > a.txt" });
  const before = git("rev-parse", "HEAD");
  await troupe("merge", run, "--verify", "false");
  const record = join(cwd, ".troupe/runs", run, "merge.json");
  const state = JSON.parse(readFileSync(record, "utf8"));
  const cutOff = ({ verify, ...rest }: { readonly verify?: string }) => {
    git("merge", "--quiet", "--no-ff", "-m", "cut off", `troupe/${run}/one`);
    const current = { branch: `troupe/${run}/one`, before };
    const verified = verify === undefined ? {} : { verify };
    writeFileSync(record, JSON.stringify({ ...rest, ...verified, current }));
  };
  cutOff(state);
  expect((await troupe("merge", run, "--abort")).out).toContain("nothing was merged");
  expect([git("rev-parse", "HEAD"), read("a.txt")]).toEqual([before, "a\n"]);
  cutOff({ ...state, verify: undefined });
  expect((await troupe("merge", run, "--abort")).out).toContain("1 branch stayed in main");
  expect(read("a.txt")).toBe("one\n");
});

test("a branch that brings what programs outside obey is shown with each file, and merged only when somebody agrees [SEC-8.merge, T18]", async () => {
  git("config", "core.hooksPath", "tools/hooks");
  const files = [
    ".envrc",
    ".husky/pre-commit",
    "pkg/.claude/settings.json",
    "tools/hooks/pre-push",
  ];
  const run = await work({
    one: "mkdir -p .husky pkg/.claude tools/hooks; for f in FILES; do echo x > $f; done; echo b > a.txt".replace(
      "FILES",
      files.join(" "),
    ),
  });
  const before = git("rev-parse", "main");
  for (const flags of [[], ["--json"]]) {
    const refused = await troupe("merge", run, ...flags);
    expect([refused.exitCode, refused.out + refused.err]).toEqual([
      2,
      expect.stringContaining("RUN_MERGE_OBEYED"),
    ]);
    if (flags.length === 0)
      for (const file of files) expect(refused.out).toContain(`  brings ${file}: `);
  }
  expect([git("rev-parse", "main"), existsSync(join(cwd, ".envrc"))]).toEqual([before, false]);
  expect((await troupe("merge", run, "-y")).exitCode).toBe(0);
  expect(read("pkg/.claude/settings.json")).toBe("x\n");
});
