import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { sha256 } from "../../src/foundation/hash.ts";
import { takesAll } from "../cases.ts";
import { has } from "../machine.ts";
import { crashProgram } from "./crash-program.ts";
import { say, seedOf } from "./report.ts";
import { sideBySide } from "./side-by-side.ts";
import { follow, type WorktreeOrder } from "./worktree-program.ts";

// The owner of a run is killed at the calls with which it makes, settles or removes the worktree of an agent. The next
// owner does the same again. A sample every day, `npm run prove` takes each.

/** System calls that change files: of the owner itself, and of git while it fills a tree. */
const OWNER_CALLS = ["mkdir", "write", "rename", "unlink", "unlinkat", "rmdir", "symlink"] as const;
const GIT_CALLS = ["openat", "write", "mkdir", "rename", "symlink"] as const;
const WIDTH = 2;
const SAMPLE = 10;

const random = seedOf("worktrees");
const REAL_GIT = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();

type Scene = "make" | "settle work" | "settle nothing";

/** One place to die: at a call of the owner, around a command of git, or at a call of git that fills the tree. */
type Death =
  | { readonly of: "owner"; readonly call: string; readonly nth: number }
  | { readonly of: "command"; readonly when: "before" | "after"; readonly nth: number }
  | { readonly of: "git"; readonly call: string; readonly nth: number };

interface Stage {
  readonly all: string;
  readonly order: WorktreeOrder;
  git(...args: string[]): string;
}

/** A repository with work of its user that is not committed, and a place for one agent. */
function createStage(): Stage {
  const all = realpathSync(mkdtempSync(join(tmpdir(), "troupe-trees-")));
  const root = join(all, "p");
  for (const name of ["p/src/deep", "h", "bin"]) mkdirSync(join(all, name), { recursive: true });
  const identity = ["-c", "user.name=u", "-c", "user.email=u@x"];
  const env = { PATH: process.env["PATH"], HOME: join(all, "h"), GIT_CONFIG_GLOBAL: "/dev/null" };
  const git = (...args: string[]) =>
    execFileSync(REAL_GIT, [...identity, ...args], { cwd: root, env, encoding: "utf8" }).trim();
  const write = (path: string, text: string) => writeFileSync(join(root, path), text);
  git("init", "--quiet", "--initial-branch", "main");
  write(".gitignore", ".troupe\nignored\n");
  for (let index = 0; index < 12; index += 1) write(`src/f${index}.txt`, `file ${index}\n`);
  write("src/deep/g.txt", "deep\n");
  git("add", "--all");
  git("commit", "--quiet", "-m", "begin");
  write("src/f0.txt", "edited by the user\n");
  write("mine.txt", "not in git\n");
  write("ignored", "ignored\n");
  const path = join(root, ".troupe/runs/run_a/worktrees/coder");
  mkdirSync(dirname(path), { recursive: true });
  const base = git("rev-parse", "HEAD");
  const programs = `${join(all, "bin")}:${process.env["PATH"]}`;
  return { all, git, order: { action: "make", root, path, base, home: join(all, "h"), programs } };
}

/** A git that does as the real one, and kills the owner where it is told to. */
function putGit({ all }: Stage, death: Death | undefined): void {
  const kill = `kill -9 $(cat ${join(all, "owner")}); exit 1`;
  const counted = `n=$(cat ${join(all, "count")} 2>/dev/null || echo 0); n=$((n + 1)); echo $n > ${join(all, "count")}`;
  const real = `${REAL_GIT} "$@"`;
  const dies = `[ $n = ${death?.nth} ] && { ${kill}; }`;
  const bodyOf = (): string => {
    if (death?.of === "command")
      return death.when === "before"
        ? `${counted}\n${dies}\nexec ${real}`
        : `${counted}\n${real}; end=$?\n${dies}\nexit $end`;
    if (death?.of !== "git") return `exec ${real}`;
    const { call, nth } = death;
    const inject = `-e trace=${call} -e inject=${call}:signal=KILL:when=${nth}`;
    return `case "$*" in *"read-tree -m -u"*) ;; *) exec ${real} ;; esac
strace -qq -o /dev/null ${inject} ${real} && exit 0
${kill}`;
  };
  const file = join(all, "bin/git");
  writeFileSync(file, `#!/bin/sh\n${bodyOf()}\n`);
  chmodSync(file, 0o755);
}

/** Starts an owner that dies; resolves with whether it did. */
async function runOwner({ all, order }: Stage, wrapper: readonly string[]): Promise<boolean> {
  const argv = [...wrapper, process.execPath, crashProgram("worktree-program")];
  const child = spawn(argv[0] ?? "", [...argv.slice(1), JSON.stringify(order)], {
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  // strace -D: the traced program, not strace, is the child.
  writeFileSync(join(all, "owner"), String(child.pid));
  const [, signal] = await once(child, "exit");
  return signal === "SIGKILL";
}

function wrapperFor(death: Death | undefined): readonly string[] {
  if (death?.of !== "owner") return [];
  const { call, nth } = death;
  const inject = `inject=${call}:signal=KILL:when=${nth}`;
  return ["strace", "-qq", "-D", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
}

/** All files of a directory with their content, as one text. */
function printOf(root: string, leaves: readonly string[]): string {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !leaves.some((left) => path === left || path.startsWith(`${left}/`)))
    .sort();
  return files
    .map((path) => `${path} ${sha256(readFileSync(join(root, path), "utf8"))}`)
    .join("\n");
}

/** What must be as it was: the files of the user, what git says of them, and where the branches are. */
function usersView({ order: { root }, git }: Stage): string {
  const files = printOf(root, [".git", ".troupe"]);
  return [files, git("status", "--porcelain"), git("rev-parse", "HEAD", "main")].join("\n");
}

/** Plays a scene with a death, and again without: what the second owner leaves must be right. */
async function play(scene: Scene, death: Death | undefined): Promise<boolean> {
  const stage = createStage();
  try {
    const { order, git } = stage;
    const before = usersView(stage);
    const committed = git("ls-tree", "-r", "--name-only", "HEAD");
    const settles: Stage = { ...stage, order: { ...order, action: "settle" } };
    putGit(stage, undefined);
    if (scene !== "make") await follow(order);
    if (scene === "settle work") {
      writeFileSync(join(order.path, "new.txt"), "new\n");
      writeFileSync(join(order.path, "src/f1.txt"), "by the agent\n");
      rmSync(join(order.path, "src/f2.txt"));
    }
    putGit(stage, death);
    const hasDied = await runOwner(scene === "make" ? stage : settles, wrapperFor(death));
    putGit(stage, undefined);
    await follow(scene === "make" ? order : settles.order);
    const branches = () => git("branch", "--format=%(refname:short)").split("\n").sort();
    const records = join(order.root, ".git/worktrees");
    const drafts = join(dirname(order.path), ".making");
    if (scene === "make") {
      expect(git("-C", order.path, "status", "--porcelain", "--branch")).toBe(
        "## troupe/run_a/coder",
      );
      expect(printOf(order.path, [".git"]).split("\n").map(nameOf).join("\n")).toBe(committed);
      expect(readdirSync(records)).toEqual(["troupe-run_a-coder"]);
      await follow(settles.order);
    }
    if (scene === "settle work") {
      const diff = git("diff", "--name-status", order.base, "troupe/run_a/coder");
      expect(diff.split("\n")).toEqual(["A\tnew.txt", "M\tsrc/f1.txt", "D\tsrc/f2.txt"]);
      expect(git("rev-list", "--count", `${order.base}..troupe/run_a/coder`)).toBe("1");
    } else {
      expect(branches()).toEqual(["main"]);
      expect(existsSync(order.path)).toBe(false);
      expect(existsSync(records) ? readdirSync(records) : []).toEqual([]);
    }
    expect(existsSync(drafts) ? readdirSync(drafts) : []).toEqual([]);
    expect(usersView(stage)).toBe(before);
    git("fsck", "--no-dangling", "--no-progress");
    return hasDied;
  } catch (cause) {
    throw new Error(`${scene}, killed at ${JSON.stringify(death)}`, { cause });
  } finally {
    rmSync(stage.all, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

function nameOf(line: string): string {
  return line.slice(0, line.lastIndexOf(" "));
}

/** How often an uninterrupted scene makes each call of the owner, starts git, and makes each call in it. */
async function deathsOf(scene: Scene): Promise<readonly Death[]> {
  const stage = createStage();
  try {
    const { all, order } = stage;
    putGit(stage, undefined);
    if (scene !== "make") await follow(order);
    if (scene === "settle work") writeFileSync(join(order.path, "new.txt"), "new\n");
    putGit(stage, { of: "command", when: "before", nth: 0 });
    const log = join(all, "calls");
    const trace = ["-e", `trace=${OWNER_CALLS.join(",")}`];
    const action = scene === "make" ? "make" : "settle";
    await runOwner({ ...stage, order: { ...order, action } }, [
      ...["strace", "-qq", "-D", "-o", log],
      ...trace,
    ]);
    const commands = Number(readFileSync(join(all, "count"), "utf8"));
    const lines = readFileSync(log, "utf8").split("\n");
    const owner = OWNER_CALLS.flatMap((call) =>
      numbers(lines.filter((line) => line.startsWith(`${call}(`)).length).map(
        (nth): Death => ({ of: "owner", call, nth }),
      ),
    );
    const around = numbers(commands).flatMap((nth): readonly Death[] => [
      { of: "command", when: "before", nth },
      { of: "command", when: "after", nth },
    ]);
    return [...owner, ...around, ...(scene === "make" ? gitDeaths(stage) : [])];
  } finally {
    rmSync(stage.all, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** The calls of a git that fills a tree of the same files. */
function gitDeaths({ all, order: { root } }: Stage): readonly Death[] {
  const log = join(all, "git-calls");
  const tree = join(all, "tree");
  mkdirSync(tree);
  const env = { ...process.env, GIT_INDEX_FILE: join(all, "index"), GIT_WORK_TREE: tree };
  const git = [REAL_GIT, "--git-dir", join(root, ".git"), "read-tree", "-m", "-u", "HEAD"];
  execFileSync("strace", ["-qq", "-o", log, "-e", `trace=${GIT_CALLS.join(",")}`, ...git], {
    cwd: tree,
    env,
  });
  const lines = readFileSync(log, "utf8").split("\n");
  return GIT_CALLS.flatMap((call) =>
    numbers(lines.filter((line) => line.startsWith(`${call}(`)).length).map(
      (nth): Death => ({ of: "git", call, nth }),
    ),
  );
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** All of them, or as many as a day has time for, some of each kind. */
function sample(deaths: readonly Death[], most: number): readonly Death[] {
  if (takesAll()) return deaths;
  const stride = Math.max(1, Math.ceil(deaths.length / most));
  const offset = Math.floor(random() * stride);
  return deaths.filter((_, index) => index % stride === offset);
}

test.runIf(has("strace")).each([
  ["make", SAMPLE],
  ["settle work", SAMPLE / 2],
  ["settle nothing", SAMPLE / 2],
] as const)(
  "a worktree is complete or absent when its owner was killed at any call of: %s [AGT-22.trees, AGT-13]",
  async (scene, most) => {
    const deaths = await deathsOf(scene);
    const taken = sample(deaths, most);
    const died = await sideBySide(taken, WIDTH, (death) => play(scene, death));
    const count = died.filter(Boolean).length;
    say(`${scene}: ${deaths.length} points, ${taken.length} tried, the owner died at ${count}`);
    expect(count).toBeGreaterThan(taken.length / 2);
  },
);
