import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { createProject, type Ended, troupe } from "./troupe-process.ts";

function ledgerOf(cwd: string): readonly string[] {
  const file = join(cwd, "ledger");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** With rights and times, as a person copies it. */
function copyProject(from: string, to: string): void {
  expect(spawnSync("cp", ["-a", from, to]).status).toBe(0);
}

/** A project that another place now leads to, or that is somewhere else. */
interface Moved {
  /** Where the user stands afterwards. */
  readonly cwd: string;
  /** Whether runs act on the same files as before. */
  readonly acts: boolean;
  readonly code?: string;
}

const PLACES: readonly { readonly name: string; readonly move: (cwd: string) => Moved }[] = [
  { name: "the project itself", move: (cwd) => ({ cwd, acts: true }) },
  {
    name: "a copy",
    move: (cwd) => {
      copyProject(cwd, `${cwd}-copy`);
      return { cwd: `${cwd}-copy`, acts: false, code: "RUN_COPIED" };
    },
  },
  {
    name: "a moved project",
    move: (cwd) => {
      renameSync(cwd, `${cwd}-moved`);
      return { cwd: `${cwd}-moved`, acts: false, code: "RUN_MOVED" };
    },
  },
  {
    name: "a moved project with a link in its old place",
    move: (cwd) => {
      renameSync(cwd, `${cwd}-moved`);
      symlinkSync(`${cwd}-moved`, cwd);
      return { cwd: `${cwd}-moved`, acts: true };
    },
  },
  {
    name: "a moved project whose old place something else has taken",
    move: (cwd) => {
      renameSync(cwd, `${cwd}-moved`);
      mkdirSync(cwd);
      return { cwd: `${cwd}-moved`, acts: false, code: "RUN_COPIED" };
    },
  },
  {
    name: "a link to the project",
    move: (cwd) => {
      symlinkSync(cwd, `${cwd}-link`);
      return { cwd: `${cwd}-link`, acts: true };
    },
  },
  {
    name: "a project below a renamed parent that is linked from its old name",
    move: (cwd) => {
      const parent = dirname(cwd);
      renameSync(parent, `${parent}-renamed`);
      symlinkSync(`${parent}-renamed`, parent);
      return { cwd, acts: true };
    },
  },
];

const FAILING = `version: "1.0"
name: failing
pattern: pipeline
agents:
  - { id: a, backend: command, command: ["sh", "-c", "echo a >> ledger; test -e go"] }
steps: [{ id: one, agent: a, prompt: x }]
`;

/** What acts on a run that failed, in an order in which none hinders the next. */
const ACTING: readonly (readonly string[])[] = [
  ["merge", "@last"],
  ["fork", "@last", "--at", "1"],
  ["rerun", "@last"],
];
const READING: readonly (readonly string[])[] = [
  ["show", "@last"],
  ["logs", "@last"],
  ["export", "@last", "-o", "-"],
  ["runs"],
];

test.each(PLACES)(
  "in $name, runs act only where their journal is stored, and can be read everywhere [ENG-23.place]",
  async ({ move }) => {
    const root = createProject({ "w/p/failing.yaml": FAILING, "w/p/.troupe/.keep": "" });
    const before = join(root, "w", "p");
    expect(await troupe(before, ["run", "failing.yaml"])).toMatchObject({ exitCode: 1 });
    const { cwd, acts, code = "" } = move(before);
    const ledgerBefore = ledgerOf(cwd);
    for (const args of READING) expect(await troupe(cwd, args)).toMatchObject({ exitCode: 0 });
    for (const args of acts ? [] : ACTING) {
      const ended: Ended = await troupe(cwd, args);
      // A moved project has no original that could be changed, so that what needs no directory works in it.
      if (code === "RUN_MOVED" && args[0] !== "rerun") continue;
      expect([args[0], ended.exitCode, ended.err]).toEqual([
        args[0],
        expect.any(Number),
        expect.stringContaining(code),
      ]);
      expect(ended.exitCode).not.toBe(0);
    }
    writeFileSync(join(cwd, "go"), "");
    const rerun = await troupe(cwd, ["rerun", "@last"]);
    expect(rerun.exitCode === 0).toBe(acts);
    expect(ledgerOf(cwd).length > ledgerBefore.length).toBe(acts);
  },
);

test("in a copy that was made while a run was suspended, no command reaches it, and the original goes on [ENG-23.place]", async () => {
  const root = createProject({
    "p/ask.yaml": `id: ask\nsteps:\n  - { id: ok, type: approval, message: go? }\n`,
    "p/.troupe/.keep": "",
  });
  const [cwd, copy] = [join(root, "p"), join(root, "copy")];
  await troupe(cwd, ["run", "ask.yaml"]);
  copyProject(cwd, copy);
  const inbox = await troupe(cwd, ["inbox", "--json"]);
  const [, item = ""] = /"id": ?"([^"]+)"/.exec(inbox.out) ?? [];
  for (const args of [
    ["approve", item],
    ["reject", item, "-m", "no"],
    ["cancel", "@last"],
    ["pause", "@last"],
    ["resume", "@last"],
    ["send", "@last", "hello"],
  ]) {
    const ended = await troupe(copy, args);
    expect([args[0], ended.err]).toEqual([args[0], expect.stringContaining("RUN_COPIED")]);
    expect(ended.exitCode).not.toBe(0);
  }
  expect(await troupe(cwd, ["approve", item])).toMatchObject({ exitCode: 0 });
  expect(await troupe(cwd, ["resume", "@last"])).toMatchObject({ exitCode: 0 });
});

/** Ways to stand elsewhere with the same runs directory, or to reach the same files by another name. */
const DETOURS: readonly {
  readonly name: string;
  readonly acts: boolean;
  readonly go: (cwd: string) => { readonly cwd: string; readonly troupeDirectory?: string };
}[] = [
  {
    name: "the project through TROUPE_DIR",
    acts: true,
    go: (cwd) => ({ cwd, troupeDirectory: join(cwd, ".troupe") }),
  },
  {
    name: "a copy with TROUPE_DIR of the original",
    acts: false,
    go: (cwd) => {
      copyProject(cwd, `${cwd}-copy`);
      return { cwd: `${cwd}-copy`, troupeDirectory: join(cwd, ".troupe") };
    },
  },
  {
    name: "the original with TROUPE_DIR of a copy",
    acts: false,
    go: (cwd) => {
      copyProject(cwd, `${cwd}-copy`);
      return { cwd, troupeDirectory: join(`${cwd}-copy`, ".troupe") };
    },
  },
  {
    name: "a git worktree that took a copy of the runs",
    acts: false,
    go: (cwd) => {
      const other = `${cwd}-tree`;
      const git = (...args: readonly string[]) =>
        expect([args[0], spawnSync("git", args, { cwd }).status]).toEqual([args[0], 0]);
      git("init", "--quiet");
      git("add", "failing.yaml");
      git("commit", "--quiet", "-m", "begin");
      git("worktree", "add", "--quiet", other);
      copyProject(join(cwd, ".troupe"), join(other, ".troupe"));
      return { cwd: other };
    },
  },
];

test.each(DETOURS)(
  "from $name, a run acts on its own project or nowhere [ENG-23.place]",
  async ({ go, acts }) => {
    const before = join(
      createProject({ "w/p/failing.yaml": FAILING, "w/p/.troupe/.keep": "" }),
      "w",
      "p",
    );
    expect(await troupe(before, ["run", "failing.yaml"])).toMatchObject({ exitCode: 1 });
    const { cwd, troupeDirectory } = go(before);
    const env = troupeDirectory === undefined ? {} : { TROUPE_DIR: troupeDirectory };
    const ledgers = () => [ledgerOf(before), ledgerOf(cwd)];
    const ledgersBefore = ledgers();
    for (const args of acts ? [] : ACTING) {
      const ended = await troupe(cwd, args, env);
      expect([args[0], ended.err]).toEqual([args[0], expect.stringContaining("[")]);
      expect(ended.exitCode).not.toBe(0);
    }
    for (const place of [before, cwd]) writeFileSync(join(place, "go"), "");
    expect((await troupe(cwd, ["rerun", "@last"], env)).exitCode === 0).toBe(acts);
    if (acts) expect(ledgers()).not.toEqual(ledgersBefore);
    else expect(ledgers()).toEqual(ledgersBefore);
  },
);
