import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import type { Machine } from "../../../src/app/machine/machine.ts";
import { readListing } from "../../../src/app/runs/run-heads.ts";
import { readRunList } from "../../../src/app/runs/run-index.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { claim, log, RULES } from "../../../src/testing/journal-case.ts";
import { createFileMachine, recordedRun, writeRun } from "../file-machine.ts";

// The index takes in what has not changed for two seconds; this clock is ten ahead.
const LATER = { ...systemClock, now: () => systemClock.now() + 10_000 };

let machine: Machine & { readonly root: string };
let opened: string[];
beforeEach(() => {
  const plain = createFileMachine();
  const open: Machine["store"]["open"] = (run, mode) => {
    opened.push(run);
    return plain.store.open(run, mode);
  };
  machine = { ...plain, clock: LATER, store: { ...plain.store, open } };
});

/** What a listing shows, and whose journals it opened. */
function look(
  ...wishes: Parameters<typeof readRunList> extends [Machine, ...infer Rest] ? Rest : []
) {
  opened = [];
  const { runs, problems } = readRunList(machine, ...wishes);
  return { runs, problems: problems.map(({ code }) => code), opened: opened.toSorted() };
}

function directory(...names: readonly string[]): string {
  return join(machine.project.runsDirectory, ...names);
}

test("runs that are over are read once, others every time, and all look as they are [CLI-1]", async () => {
  await writeRun(machine, recordedRun("run_ended1"));
  await writeRun(machine, recordedRun("run_alive1", 20));
  const first = look();
  expect(first.opened).toEqual(["run_alive1", "run_ended1"]);
  const second = look();
  expect(second.opened).toEqual(["run_alive1"]);
  expect(second.runs).toEqual(first.runs);
  const direct = machine.store.list().map((run) => readListing(machine.store, run, machine.isGone));
  expect(second.runs).toEqual(direct);
});

test("a run that goes on after its end was listed is listed as it is now [CLI-1]", async () => {
  await writeRun(machine, recordedRun("run_again1"));
  expect([look(), look()].at(-1)).toMatchObject({ opened: [], runs: [{ state: "completed" }] });
  const journal = machine.store.open("run_again1", "write");
  journal.takeLease(claim({ bootId: "boot-2" }), RULES);
  const head = { ...Object(journal.head()), state: "failed", outcome: "failed" };
  await journal.append({ epoch: 2, events: [log(journal.lastSeq() + 1)], head });
  // Still in the log that is written ahead: the journal itself has not changed.
  expect(look().runs).toMatchObject([{ state: "failed" }]);
  journal.releaseLease(2);
  journal.close();
  expect(look().runs).toMatchObject([{ state: "failed" }]);
});

test("a journal that was edited from outside is not covered up by the index [T16]", async () => {
  await writeRun(machine, recordedRun("run_edited"));
  look();
  expect(look()).toMatchObject({ opened: [], problems: [] });
  const db = new DatabaseSync(directory("run_edited", "journal.db"));
  db.exec("UPDATE head SET body = replace(body, 'completed', 'failed')");
  db.close();
  expect(look()).toMatchObject({ runs: [], problems: ["STORE_CORRUPT"] });
});

test("a run that was replaced, or removed, is not shown as it was [T16]", async () => {
  await writeRun(machine, recordedRun("run_first1"));
  await writeRun(machine, recordedRun("run_other1"));
  look();
  look();
  rmSync(directory("run_first1"), { recursive: true });
  renameSync(directory("run_other1"), directory("run_first1"));
  const { runs, opened: read } = look();
  expect(runs.map(({ run }) => run)).toEqual(["run_first1"]);
  expect(read).toEqual(["run_first1"]);
  const db = new DatabaseSync(join(machine.project.troupeDirectory, "index.db"), {
    readOnly: true,
  });
  expect(db.prepare("SELECT run FROM runs").all()).toEqual([{ run: "run_first1" }]);
  db.close();
});

test("without an index, with a damaged one and with one that cannot be made, the list is the same", async () => {
  await writeRun(machine, recordedRun("run_ended1"));
  const path = join(machine.project.troupeDirectory, "index.db");
  const { runs } = look();
  const bytes = readFileSync(path);
  for (let at = 0; at < bytes.length; at += 97) bytes[at] = 255;
  writeFileSync(path, bytes);
  expect(look().runs).toEqual(runs);
  rmSync(path);
  mkdirSync(path);
  expect(look().runs).toEqual(runs);
});

test("agents are looked up once for runs that are over", async () => {
  await writeRun(machine, recordedRun("run_ended1"));
  look();
  expect(look(() => true).opened).toEqual(["run_ended1", "run_ended1"]);
  const { runs, opened: read } = look(() => true);
  expect(read).toEqual([]);
  expect(runs[0]?.roster?.agents).toContainEqual({
    name: "thinker",
    backend: "function",
    status: "exited",
    statusText: null,
  });
});

test("what has just changed is not taken into the index", async () => {
  machine = { ...machine, clock: systemClock };
  await writeRun(machine, recordedRun("run_young1"));
  look();
  expect(look().opened).toEqual(["run_young1"]);
});

test("the directory of a run that is a link is refused, and the others are listed [T16]", async () => {
  await writeRun(machine, recordedRun("run_whole1"));
  await writeRun(machine, recordedRun("run_moved1"));
  renameSync(directory("run_moved1"), join(machine.root, "elsewhere"));
  symlinkSync(join(machine.root, "elsewhere"), directory("run_moved1"));
  const { runs, problems } = look();
  expect(runs.map(({ run }) => run)).toEqual(["run_whole1"]);
  expect(problems).toEqual(["STORE_UNREADABLE"]);
  for (const access of [
    () => machine.store.open("run_moved1", "write"),
    () => machine.store.remove("run_moved1"),
  ])
    expect(access).toThrow(expect.objectContaining({ code: "STORE_UNREADABLE" }));
});
