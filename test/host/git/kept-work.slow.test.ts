import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { GitCommitRequest } from "../../../src/contracts/host.ts";
import { present } from "../../../src/foundation/present.ts";
import type { GitOptions } from "../../../src/host/host.ts";
import { createTestHost } from "../survivors.ts";

const REQUEST: GitCommitRequest = {
  subject: "[iter-0] work",
  body: "",
  trailers: { "Troupe-Run": "run_a", "Troupe-Iteration": "0" },
};
const LINES = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/** A repository with one commit, and a host. */
function scene(
  files: { readonly [path: string]: string } = { "a.txt": "a\n" },
  { trustsFilter }: Pick<GitOptions, "trustsFilter"> = {},
) {
  const all = realpathSync(mkdtempSync(join(tmpdir(), "troupe-kept-")));
  const repo = join(all, "repo");
  const env = { PATH: process.env["PATH"], HOME: all };
  const host = createTestHost({ env, git: { ownFiles: [], ...present({ trustsFilter }) } });
  onTestFinished(async () => {
    await host.close();
    rmSync(all, { recursive: true, force: true });
  });
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@localhost", ...args], {
      cwd: repo,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  };
  mkdirSync(repo);
  git("init", "--quiet", "--initial-branch", "main");
  for (const [path, text] of Object.entries(files)) write(path, text);
  git("add", "--all");
  git("commit", "--quiet", "-m", "first");
  const keep = async () => {
    const kept = await host.git.keep(repo);
    if (kept === undefined) throw new Error("no repository");
    return kept;
  };
  const head = () => git("rev-parse", "HEAD").trim();
  const read = (path: string) => readFileSync(join(repo, path), "utf8");
  return { all, repo, host, git, write, read, keep, head };
}

const numbered = (change: { readonly [line: string]: string } = {}) =>
  `${LINES.map((line) => change[line] ?? line).join("\n")}\n`;

test("a commit has exactly what was changed since: made, edited, removed, modes and links of what nobody else touched [ITR-3, ITR-git.snapshots, ITR-git.message]", async () => {
  const { repo, host, git, write, keep, head } = scene({
    "a.txt": "a\n",
    "gone.txt": "x\n",
    run: "1\n",
  });
  const first = head();
  const kept = await keep();
  expect(kept).toMatchObject({ commit: first, branch: "main", isDirty: false });
  write("a.txt", "b\n");
  write("new/file with ü.txt", "n\n");
  rmSync(join(repo, "gone.txt"));
  chmodSync(join(repo, "run"), 0o755);
  const made = await host.git.commitSince(repo, kept, { ...REQUEST, body: "More of it." });
  expect(made).toEqual({
    commit: head(),
    files: ["a.txt", "gone.txt", "new/file with ü.txt", "run"],
    uncommitted: [],
  });
  expect(git("status", "--porcelain")).toBe("");
  expect(git("log", "-1", "--format=%P%n%B")).toBe(
    `${first}\n[iter-0] work\n\nMore of it.\n\nTroupe-Run: run_a\nTroupe-Iteration: 0\n\n`,
  );
  expect(git("fsck", "--strict", "--no-dangling")).toBe("");
});

test("of a file that was changed before, only what was changed since is committed; what cannot be told apart is left [ITR-3, ITR-git.dirty]", async () => {
  const { repo, host, git, write, read, keep } = scene({
    both: numbered(),
    same: numbered(),
    quiet: "q\n",
  });
  write("both", numbered({ 1: "user" }));
  write("same", numbered({ 5: "user" }));
  write("untracked", "user\n");
  write("quiet", "user\n");
  const kept = await keep();
  expect(kept.isDirty).toBe(true);
  write("both", numbered({ 1: "user", 9: "agent" }));
  write("same", numbered({ 5: "user and agent" }));
  write("untracked", "user\nagent\n");
  write("fresh", "agent\n");
  const made = await host.git.commitSince(repo, kept, REQUEST);
  expect(made).toMatchObject({ files: ["both", "fresh"], uncommitted: ["same", "untracked"] });
  expect(git("show", "HEAD:both")).toBe(numbered({ 9: "agent" }));
  expect(git("show", "HEAD:same")).toBe(numbered());
  expect(read("both")).toBe(numbered({ 1: "user", 9: "agent" }));
  expect(git("status", "--porcelain")).toBe(" M both\n M quiet\n M same\n?? untracked\n");
});

test("what is staged stays staged and is never committed, also when the agent changes the same file [ITR-3, ITR-git.snapshots]", async () => {
  const { repo, host, git, write, keep } = scene({ staged: numbered(), free: "f\n" });
  write("staged", numbered({ 1: "user" }));
  write("added", "user\n");
  git("add", "--all");
  const before = git("diff", "--cached");
  const kept = await keep();
  write("staged", numbered({ 1: "user", 9: "agent" }));
  write("free", "agent\n");
  const made = await host.git.commitSince(repo, kept, REQUEST);
  expect(made).toMatchObject({ files: ["free"], uncommitted: ["staged"] });
  expect(git("diff", "--cached")).toBe(before);
});

test("what the agent committed itself is not committed again, and what it only staged is", async () => {
  const { repo, host, git, write, keep, head } = scene();
  const kept = await keep();
  write("a.txt", "committed by the agent\n");
  git("commit", "--quiet", "-a", "-m", "by the agent");
  const own = head();
  expect(await host.git.commitSince(repo, kept, REQUEST)).toMatchObject({
    commit: null,
    files: [],
  });
  expect(head()).toBe(own);
  write("b.txt", "staged by the agent\n");
  git("add", "--all");
  expect(await host.git.commitSince(repo, kept, REQUEST)).toMatchObject({ files: ["b.txt"] });
  expect(git("log", "-1", "--format=%P").trim()).toBe(own);
  expect(git("status", "--porcelain")).toBe("");
});

test("a commit that was made and not reported is found by its trailers, and the index follows it then [ITR-5, ITR-from.found]", async () => {
  const { repo, host, git, write, keep, head } = scene();
  const kept = await keep();
  write("a.txt", "agent\n");
  const made = await host.git.commitSince(repo, kept, REQUEST);
  // As it is when the process ended between both.
  git("read-tree", `${kept.commit}`);
  expect(await host.git.commitSince(repo, kept, REQUEST)).toEqual(made);
  expect(git("status", "--porcelain")).toBe("");
  const next = { ...REQUEST, trailers: { ...REQUEST.trailers, "Troupe-Iteration": "1" } };
  expect(await host.git.commitSince(repo, kept, next)).toMatchObject({ commit: null });
  expect(head()).toBe(made?.commit);
});

test("no hook, filter, signer or monitor runs, and nothing that a hook would do happens [ITR-3, SEC-4.write, ITR-git.inert, ITR-git.filters]", async () => {
  const { all, repo, host, git, write, keep } = scene({
    ".gitattributes": "*.x filter=armed merge=armed diff=armed\n",
    "f.x": "1\n",
  });
  const armed = join(all, "armed");
  const script = `#!/bin/sh\ntouch ${armed}\nexit 1\n`;
  for (const hook of [
    "pre-commit",
    "commit-msg",
    "post-commit",
    "reference-transaction",
    "post-index-change",
    "prepare-commit-msg",
  ]) {
    writeFileSync(join(repo, ".git/hooks", hook), script);
    chmodSync(join(repo, ".git/hooks", hook), 0o755);
  }
  const program = join(all, "program");
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  for (const key of [
    "filter.armed.clean",
    "filter.armed.smudge",
    "filter.armed.process",
    "merge.armed.driver",
    "diff.armed.textconv",
    "gpg.program",
    "core.fsmonitor",
    "core.editor",
  ])
    git("config", key, program);
  git("config", "commit.gpgSign", "true");
  write("a.txt", "user\n");
  const kept = await keep();
  write("f.x", "2\n");
  write("b.txt", "agent\n");
  const made = await host.git.commitSince(repo, kept, REQUEST);
  expect(made).toMatchObject({ files: ["b.txt"], uncommitted: ["f.x"] });
  expect(existsSync(armed)).toBe(false);
});

test("what a filter of the user's own stores is committed through it once that is trusted [ITR-git.filters]", async () => {
  const filtered = { ".gitattributes": "*.x filter=loud\n", "f.x": "1\n" };
  for (const isTrusted of [false, true]) {
    const { all, repo, host, git, write, keep } = scene(filtered, {
      trustsFilter: () => isTrusted,
    });
    writeFileSync(join(all, ".gitconfig"), '[filter "loud"]\n\tclean = tr a-z A-Z\n');
    const kept = await keep();
    write("f.x", "agent\n");
    const made = await host.git.commitSince(repo, kept, REQUEST);
    const [files, uncommitted] = isTrusted ? [["f.x"], []] : [[], ["f.x"]];
    expect(made).toMatchObject({ files, uncommitted });
    expect(git("show", "HEAD:f.x")).toBe(isTrusted ? "AGENT\n" : "1\n");
  }
});

test("on a detached HEAD it is committed there, and before the first commit it is the first one", async () => {
  const { repo, host, git, write, keep, head } = scene();
  git("checkout", "--quiet", "--detach");
  const main = git("rev-parse", "main").trim();
  const kept = await keep();
  expect(kept.branch).toBeNull();
  write("a.txt", "agent\n");
  const made = await host.git.commitSince(repo, kept, REQUEST);
  expect([head(), git("rev-parse", "main").trim()]).toEqual([made?.commit, main]);
  expect(git("status", "--porcelain")).toBe("");
  const bare = scene();
  rmSync(join(bare.repo, ".git"), { recursive: true });
  bare.git("init", "--quiet", "--initial-branch", "main");
  const none = await bare.keep();
  expect(none).toMatchObject({ commit: null, isDirty: true });
  bare.write("b.txt", "agent\n");
  const first = await bare.host.git.commitSince(bare.repo, none, REQUEST);
  expect(first).toMatchObject({ files: ["b.txt"] });
  expect(bare.git("status", "--porcelain")).toBe("?? a.txt\n");
});

test("of submodules the pointer is committed, of other repositories within nothing, and of LFS the pointer [ITR-3, ITR-git.places]", async () => {
  const { repo, host, git, write, keep, head } = scene({
    ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
  });
  const inner = join(repo, "sub");
  git("init", "--quiet", inner);
  git("-C", inner, "commit", "--quiet", "--allow-empty", "-m", "one");
  git("-c", "protocol.file.allow=always", "add", "sub");
  git("commit", "--quiet", "-m", "with a submodule");
  const kept = await keep();
  git("-C", inner, "commit", "--quiet", "--allow-empty", "-m", "two");
  const tip = git("-C", inner, "rev-parse", "HEAD").trim();
  git("init", "--quiet", join(repo, "other"));
  write("other/file", "agent\n");
  write("big.bin", "content\n");
  const made = await host.git.commitSince(repo, kept, REQUEST);
  expect(made).toMatchObject({
    commit: head(),
    files: ["big.bin", "sub"],
    uncommitted: ["other/file"],
  });
  expect(git("ls-tree", "HEAD", "sub")).toContain(tip);
  expect(git("show", "HEAD:big.bin")).toMatch(/^version https:\/\/git-lfs/);
  // A pointer that was moved before and moved again could only be told apart by entering it.
  git("-C", inner, "commit", "--quiet", "--allow-empty", "-m", "three");
  const moved = await keep();
  git("-C", inner, "commit", "--quiet", "--allow-empty", "-m", "four");
  expect(await host.git.commitSince(repo, moved, REQUEST)).toMatchObject({
    commit: null,
    uncommitted: ["sub"],
  });
});

test("an index that somebody else holds ends the commit with an error, and asked again it comes to its end", async () => {
  const { repo, host, git, write, keep } = scene();
  const kept = await keep();
  write("a.txt", "agent\n");
  writeFileSync(join(repo, ".git/index.lock"), "");
  await expect(host.git.commitSince(repo, kept, REQUEST)).rejects.toMatchObject({
    code: "HOST_GIT_FAILED",
  });
  rmSync(join(repo, ".git/index.lock"));
  expect(await host.git.commitSince(repo, kept, REQUEST)).toMatchObject({ files: ["a.txt"] });
  expect(git("status", "--porcelain")).toBe("");
});

test("touched files are told whether they were committed or not, and the user's own are not among them", async () => {
  const { repo, host, git, write } = scene({ a: "1\n", b: "1\n", c: "1\n" });
  write("a", "user\n");
  write("u", "user\n");
  const mark = await host.git.mark(repo, ["**"]);
  if (mark === undefined) throw new Error("no repository");
  write("b", "agent\n");
  git("add", "b");
  git("commit", "--quiet", "-m", "by the agent");
  write("c", "agent\n");
  write(".hidden/new", "agent\n");
  git("checkout", "--quiet", "--", "a");
  expect(await host.git.touchedSince(repo, mark)).toEqual([".hidden/new", "a", "b", "c"]);
});

const TEXTS = [
  "",
  "x\n",
  numbered(),
  numbered({ 2: "two" }),
  numbered({ 8: "eight" }),
  "binary\0\n",
];
const PATHS = ["a", "b", "dir/c", "dir/d", "e with space"];
const change = fc.record({
  path: fc.constantFrom(...PATHS),
  text: fc.option(fc.constantFrom(...TEXTS), { nil: undefined }),
  stage: fc.boolean(),
});

test("for random dirty trees the user's changes are byte for byte what they were, and none of them is committed [ITR-3, ITR-git.snapshots]", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 6 }),
      fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 3 }),
      async (changes, work) => {
        const { repo, host, git, write, keep, head } = scene(
          Object.fromEntries(PATHS.slice(0, 4).map((path) => [path, numbered()])),
        );
        for (const { path, text, stage } of changes) {
          if (text === undefined) rmSync(join(repo, path), { force: true });
          else write(path, text);
          if (stage) git("add", "--all", "--", ...(text === undefined ? ["."] : [path]));
        }
        const seen = () => [
          git("diff", "--binary", "HEAD"),
          git("diff", "--binary", "--cached"),
          git("diff", "--binary"),
          git("ls-files", "--others", "--exclude-standard"),
          git("status", "--porcelain"),
        ];
        const before = seen();
        const first = head();
        const kept = await keep();
        for (const [index, text] of work.entries()) write(`agent/${index}`, text);
        const made = await host.git.commitSince(repo, kept, REQUEST);
        expect(made?.files).toEqual(work.map((_, index) => `agent/${index}`));
        expect(made?.uncommitted).toEqual([]);
        expect(seen()).toEqual(before);
        expect(git("diff", "--name-only", first, "HEAD").trim().split("\n")).toEqual(made?.files);
      },
    ),
    { numRuns: 15 },
  );
});
