import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Ended } from "../e2e/troupe-process.ts";
import { has } from "../machine.ts";
import { createVictim, type Victim } from "./victim.ts";

const FILES = {
  "asks.yaml": `id: asks
agents:
  - { id: greeter, backend: command, command: "true" }
  - { id: doer, backend: command, command: "touch PWNED; cat" }
steps:
  - { id: greet, type: agent, agent: greeter, prompt: "hello", next: ask }
  - { id: ask, type: approval, message: "Go on?", next: act }
  - { id: act, type: shell, command: "touch PWNED", next: more }
  - { id: more, type: agent, agent: doer, prompt: "go" }
`,
};

/** A project in which a run waits for a person: all that comes after her answer would be seen. */
async function waiting(): Promise<{ readonly maker: Victim; readonly run: string }> {
  const maker = createVictim(FILES);
  const ended = await maker.troupe("run", "asks.yaml", "x");
  expect(ended.exitCode).toBe(3);
  return { maker, run: runIn(maker.project) };
}

function runIn(project: string): string {
  const [run = ""] = readdirSync(join(project, ".troupe/runs")).filter((name) =>
    name.startsWith("run_"),
  );
  return run;
}

/** What a person gets who clones a repository with a committed `.troupe`. */
function cloneInto(victim: Victim, source: string): string {
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=m", "-c", "user.email=m@m", ...args], {
      cwd,
      env: { ...process.env, ...victim.env },
      stdio: "pipe",
    });
  git(source, "init", "-q");
  git(source, "add", "-f", ".");
  git(source, "commit", "-qm", "all");
  git(victim.project, "clone", "-q", source, "clone");
  return join(victim.project, "clone");
}

const inClone = (victim: Victim, ...args: readonly string[]): Promise<Ended> =>
  victim.troupe("-C", join(victim.project, "clone"), ...args);

function approvalOf({ out }: Ended): string {
  return /apr_\w+/.exec(out)?.[0] ?? "apr_none";
}

test("a cloned run is marked wherever it is listed, can be read, and nothing goes on with it [SEC-2.foreign, SEC-2.sealed, T16]", async () => {
  const { maker, run } = await waiting();
  const victim = createVictim();
  const clone = cloneInto(victim, maker.project);
  const journal = join(clone, ".troupe/runs", run, "journal.db");
  const before = readFileSync(journal);
  const runs = await inClone(victim, "runs");
  expect(runs.out).toMatch(/foreign, waiting/);
  expect(JSON.parse((await inClone(victim, "runs", "--json")).out)).toMatchObject({
    runs: [{ id: run, foreign: expect.stringContaining("open to other users"), needs: 0 }],
  });
  expect((await inClone(victim, "list", "--all")).out).toContain("foreign");
  expect((await inClone(victim, "away", "--since", "1d")).out).toContain("foreign");
  expect((await inClone(victim, "inbox")).out).toContain("not made by you");
  const shown = await inClone(victim, "show", run);
  expect(shown).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("not made by you here"),
  });
  expect(await inClone(victim, "logs", run)).toMatchObject({ exitCode: 0 });
  const approval = approvalOf(shown);
  const acts: readonly (readonly string[])[] = [
    ["resume", run],
    ["resume", "@last", "--approve", "all"],
    ["approve", approval],
    ["approve", approval, "--resume"],
    ["reject", approval],
    ["answer", approval, "yes"],
    ["send", "hello", "--to", `@${run}`],
    ["cancel", run],
    ["pause", run],
    ["stop", run],
    ["fork", run, "--at", "1"],
    ["fork", run, "--at", "1", "--resume"],
    ["rerun", run, "--failed"],
    ["rerun", run, "--only", "act"],
    ["merge", run],
    ["resume", run, "--background"],
  ];
  for (const act of acts) {
    const ended = await inClone(victim, ...act);
    expect([act, ended.exitCode === 0]).toEqual([act, false]);
    expect([act, ended.err]).toEqual([act, expect.stringMatching(/RUN_FOREIGN|USAGE_/)]);
  }
  await victim.troupe("daemon", "stop");
  expect(existsSync(join(clone, "PWNED"))).toBe(false);
  expect(
    readdirSync(join(clone, ".troupe/runs")).filter((name) => name.startsWith("run_")),
  ).toEqual([run]);
  expect(readFileSync(journal).equals(before)).toBe(true);
});

test("import tells what a foreign run would execute, and makes it one's own once that is agreed to [SEC-2.import, T16]", async () => {
  const { maker, run } = await waiting();
  const victim = createVictim();
  const clone = cloneInto(victim, maker.project);
  const unasked = await inClone(victim, "import", run);
  expect(unasked).toMatchObject({ exitCode: 2 });
  expect(unasked.out).toContain("command: touch PWNED");
  expect(unasked.out).toContain("doer (command)");
  expect((await inClone(victim, "resume", run)).err).toContain("RUN_FOREIGN");
  expect(await inClone(victim, "import", run, "--yes")).toMatchObject({ exitCode: 0 });
  expect(lstatSync(join(clone, ".troupe/runs", run)).mode & 0o777).toBe(0o700);
  expect(lstatSync(join(clone, ".troupe/runs", run, "journal.db")).mode & 0o777).toBe(0o600);
  expect((await inClone(victim, "runs")).out).not.toContain("foreign");
  expect(await inClone(victim, "import", run)).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("yours already"),
  });
  // It would work in the project of its maker, which is there on this machine.
  const resumed = await inClone(victim, "resume", run, "--approve", "all");
  expect(resumed.err).toContain("RUN_COPIED");
  expect([resumed.exitCode, existsSync(join(maker.project, "PWNED"))]).toEqual([2, false]);
});

const SPOILERS: readonly (readonly [string, (run: string, victim: Victim) => void])[] = [
  ["a journal that others may read", (run) => chmodSync(join(run, "journal.db"), 0o644)],
  ["a directory that others may enter", (run) => chmodSync(run, 0o755)],
  ["a key of somebody else", (_run, victim) => rmSync(join(victim.home, ".troupe-state/key"))],
  ["an altered beginning, chained anew", (run) => forge(join(run, "journal.db"))],
  [
    "an altered beginning, with the sealed one before it",
    (run) => {
      const file = join(run, "journal.db");
      change(file, "INSERT INTO batches SELECT 0, body, hash FROM batches ORDER BY seq LIMIT 1");
      forge(file);
    },
  ],
  ["no seal", (run) => change(join(run, "journal.db"), "DELETE FROM origin")],
  [
    "a seal of no key",
    (run) => change(join(run, "journal.db"), `UPDATE origin SET seal = '${"0".repeat(64)}'`),
  ],
];

const SPOILERS_BY_ROOT: typeof SPOILERS = [
  ["a journal of another user", (run) => chownSync(join(run, "journal.db"), 65534, 65534)],
  ["a directory of another user", (run) => chownSync(run, 65534, 65534)],
];

test.each([...SPOILERS, ...(has("root") ? SPOILERS_BY_ROOT : [])])(
  "%s makes a run foreign [SEC-2.sealed, T16]",
  async (_what, spoil) => {
    const { maker, run } = await waiting();
    const directory = join(maker.project, ".troupe/runs", run);
    spoil(directory, maker);
    const ended = await maker.troupe("resume", run, "--approve", "all");
    expect([ended.exitCode, ended.err]).toEqual([2, expect.stringContaining("RUN_FOREIGN")]);
    expect(existsSync(join(maker.project, "PWNED"))).toBe(false);
  },
);

test("a copy that keeps its rights stays one's own, and its runs act only where they were made [SEC-2.sealed, ENG-23.place]", async () => {
  const { maker, run } = await waiting();
  const copy = join(maker.home, "copy");
  cpSync(maker.project, copy, { recursive: true });
  for (const path of ["", "runs", `runs/${run}`]) chmodSync(join(copy, ".troupe", path), 0o700);
  for (const name of ["journal.db", "journal.seal"])
    chmodSync(join(copy, ".troupe/runs", run, name), 0o600);
  const inCopy = await maker.troupe("-C", copy, "resume", run, "--approve", "all");
  expect(inCopy).toMatchObject({ exitCode: 2, err: expect.stringContaining("RUN_COPIED") });
  expect(await maker.troupe("resume", run, "--approve", "all")).toMatchObject({ exitCode: 0 });
});

test("an export that is taken in runs nothing before it is adopted; forks and children are sealed with their run [SEC-2.foreign, SEC-2.sealed]", async () => {
  const { maker, run } = await waiting();
  await maker.troupe("export", run, "-o", "run.jsonl.gz");
  const victim = createVictim();
  const file = join(maker.project, "run.jsonl.gz");
  const taken = await victim.troupe("import", file);
  expect(taken).toMatchObject({ exitCode: 0, out: expect.stringContaining("troupe import run_") });
  expect((await victim.troupe("resume", run)).err).toContain("RUN_FOREIGN");
  const forked = await maker.troupe("fork", run, "--at", "ask");
  // It goes on at once, and asks again.
  expect(forked.exitCode).toBe(3);
  expect((await maker.troupe("runs")).out).not.toContain("foreign");
});

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

/** Another first event, with all hashes right again. */
function forge(file: string): void {
  rmSync(file.replace(/db$/, "seal"), { force: true });
  const db = new DatabaseSync(file);
  let previous = "0".repeat(64);
  for (const [index, row] of db
    .prepare("SELECT seq, body FROM batches WHERE seq > 0 ORDER BY seq")
    .all()
    .entries()) {
    const { seq, body } = row;
    const json = body instanceof Uint8Array ? inflateRawSync(body).toString() : String(body);
    const forged = index === 0 ? json.replace("asks", "bait") : json;
    previous = createHash("sha256").update(`${previous} ${seq} ${forged}`).digest("hex");
    db.prepare("UPDATE batches SET body = ?, hash = ? WHERE seq = ?").run(
      forged,
      previous,
      Number(seq),
    );
  }
  db.close();
}
