import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";
import { claim, logs, RULES } from "../../src/testing/journal-case.ts";
import { createProject, startTroupe, troupe } from "./troupe-process.ts";

const EVENTS = 15_000;
const POLL_MS = 2;

/** Files of a project's own sockets and tasks, so that nothing of others is looked at. */
function surroundings(cwd: string): { readonly [name: string]: string } {
  return { XDG_RUNTIME_DIR: cwd, TMPDIR: cwd };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(POLL_MS);
}

function names(cwd: string): readonly string[] {
  const directory = join(cwd, ".troupe/runs");
  return existsSync(directory)
    ? readdirSync(directory).filter((name) => !name.startsWith(".owner-"))
    : [];
}

/** Runs, without what is left of others. */
function whole(cwd: string): readonly string[] {
  return names(cwd).filter((name) => !name.startsWith("."));
}

async function listed(cwd: string): Promise<readonly { readonly id: string }[]> {
  const { exitCode, out, err } = await troupe(cwd, ["runs", "--json"], surroundings(cwd));
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  return JSON.parse(out).runs;
}

/** A project with one run that is over. */
async function projectWithRun(): Promise<{ readonly cwd: string; readonly run: string }> {
  const cwd = createProject();
  await troupe(cwd, ["run", "--agent", "script", "x"], surroundings(cwd));
  const [run = ""] = names(cwd);
  return { cwd, run };
}

test("an import that is killed at any time leaves no run, and the next one takes all of it [P7]", async () => {
  const { cwd, run } = await projectWithRun();
  await lengthen(cwd, run);
  await troupe(cwd, ["export", run, "-o", "run.jsonl"], surroundings(cwd));
  rmSync(join(cwd, ".troupe/runs", run), { recursive: true });
  const isImporting = () => names(cwd).some((name) => name.startsWith(".import-"));
  for (const delayMs of [0, 40, 120]) {
    const child = startTroupe(cwd, ["import", "run.jsonl"], surroundings(cwd));
    await Promise.race([until(isImporting), child.ended]);
    await pause(delayMs);
    child.kill("SIGKILL");
    await child.ended;
    expect((await listed(cwd)).map(({ id }) => id)).toEqual([]);
    // The next one is not held up by what was left, and garbage collection takes that away.
    if (delayMs === 40) await troupe(cwd, ["gc", "-y"], surroundings(cwd));
  }
  const whole = await troupe(cwd, ["import", "run.jsonl", "--json"], surroundings(cwd));
  expect(JSON.parse(whole.out)).toMatchObject({ run, events: expect.any(Number) });
  await troupe(cwd, ["gc", "-y"], surroundings(cwd));
  expect(names(cwd)).toEqual([run]);
  const logged = await troupe(cwd, ["logs", run, "--json=all"], surroundings(cwd));
  expect(logged.out.trimEnd().split("\n")).toHaveLength(JSON.parse(whole.out).events);
});

test("a garbage collection that is killed leaves whole runs, and the next one removes the rest [P7]", async () => {
  const { cwd, run } = await projectWithRun();
  const runs = join(cwd, ".troupe/runs");
  const original = join(cwd, "original");
  renameSync(join(runs, run), original);
  for (let round = 0; round < 3; round += 1) {
    for (let copy = 0; copy < 60; copy += 1) {
      const name = `run_${String(round)}${String(copy).padStart(5, "0")}`;
      cpSync(original, join(runs, name), { recursive: true });
      // More to remove than one moment takes.
      mkdirSync(join(runs, name, "logs/a/b"), { recursive: true });
    }
    const before = whole(cwd).length;
    const child = startTroupe(cwd, ["gc", "--keep", "1", "-y"], surroundings(cwd));
    await Promise.race([until(() => whole(cwd).length < before - round * 10), child.ended]);
    child.kill("SIGKILL");
    await child.ended;
    expect(await listed(cwd)).toHaveLength(whole(cwd).length);
    for (const name of whole(cwd)) expect(existsSync(join(runs, name, "journal.seal"))).toBe(true);
  }
  const rest = await troupe(cwd, ["gc", "--keep", "1", "-y"], surroundings(cwd));
  expect(rest).toMatchObject({ exitCode: 0, err: "" });
  expect(names(cwd)).toHaveLength(1);
});

/** Makes the journal of a run so long that taking it in takes a while. */
async function lengthen(cwd: string, run: string): Promise<void> {
  const journal = createSqliteStore(join(cwd, ".troupe/runs")).open(run, "write");
  journal.takeLease(claim({ bootId: "test" }), RULES);
  const last = journal.lastSeq();
  await journal.append({ epoch: 2, events: logs(last + 1, last + EVENTS) });
  journal.seal();
  journal.releaseLease(2);
  journal.close();
}

test("an agent whose process was killed at work is listed as cut off, not as working [USE-2]", async () => {
  const agent = { id: "digger", backend: "command", command: "echo begun > begun; sleep 60" };
  const cwd = createProject({
    "dig.yaml": JSON.stringify({ name: "dig", pattern: "fan-out", agents: [agent] }),
  });
  const child = startTroupe(cwd, ["run", "dig.yaml", "go"], surroundings(cwd));
  await until(() => existsSync(join(cwd, "begun")));
  child.kill("SIGKILL");
  await child.ended;
  const { out } = await troupe(cwd, ["list"], surroundings(cwd));
  expect(out).toMatch(/^digger@default .* cut off \(run is suspended\)$/m);
});
