import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { Machine } from "../../../../src/app/machine/machine.ts";
import { controlSocketPath } from "../../../../src/app/machine/place/project.ts";
import {
  findGarbage,
  garbageBytes,
  removeGarbage,
} from "../../../../src/app/setup/garbage/collect-garbage.ts";
import type { GarbagePolicy } from "../../../../src/app/setup/garbage/doomed-runs.ts";
import { claim, RULES } from "../../../../src/testing/journal-case.ts";
import { createFileMachine, recordedRun, writeRun } from "../../file-machine.ts";

const EVERYTHING: GarbagePolicy = { named: [], isForced: false, keep: 0 };
const DAY_MS = 86_400_000;
const NO_PID = 2 ** 22 + 1;

let machine: Machine & { readonly root: string };
beforeEach(() => {
  machine = createFileMachine();
});

async function doomed(policy: GarbagePolicy): Promise<readonly string[]> {
  return (await findGarbage(machine, policy)).runs.map(({ run }) => run).toSorted();
}

function directory(...names: readonly string[]): string {
  return join(machine.project.runsDirectory, ...names);
}

/** Makes something look as if nobody had touched it for a day. */
function age(path: string): void {
  utimesSync(path, (Date.now() - DAY_MS) / 1000, (Date.now() - DAY_MS) / 1000);
}

test("runs that are over go by age, all but the newest go by number, others never", async () => {
  await writeRun(machine, recordedRun("run_ended1"));
  await writeRun(machine, recordedRun("run_ended2"));
  await writeRun(machine, recordedRun("run_alive1", 20));
  const runs = ["run_ended1", "run_ended2"];
  expect(await doomed(EVERYTHING)).toEqual(runs);
  expect(await doomed({ ...EVERYTHING, keep: 1 })).toHaveLength(1);
  expect(await doomed({ ...EVERYTHING, keep: 2 })).toEqual([]);
  const [ended] = (await findGarbage(machine, EVERYTHING)).runs;
  const endedAgoMs = Date.now() - Date.parse(ended?.endedAt ?? "");
  expect(await doomed({ ...EVERYTHING, olderThanMs: endedAgoMs - DAY_MS })).toEqual(runs);
  expect(await doomed({ ...EVERYTHING, olderThanMs: endedAgoMs + DAY_MS })).toEqual([]);
});

test("what is removed is gone with all its files, and what is kept is as it was", async () => {
  await writeRun(machine, recordedRun("run_ended1"));
  await writeRun(machine, recordedRun("run_alive1", 20));
  mkdirSync(directory("run_ended1", "logs"));
  writeFileSync(directory("run_ended1", "logs", "a.log"), "x".repeat(1000));
  const found = await findGarbage(machine, EVERYTHING);
  expect(garbageBytes(found)).toBeGreaterThan(1000);
  const removed = await removeGarbage(machine, found, EVERYTHING);
  expect(removed).toEqual({ ...found, problems: [] });
  expect(readdirSync(directory())).toEqual(["run_alive1"]);
});

test("a run that waits or is suspended goes only when it is named with force", async () => {
  await writeRun(machine, recordedRun("run_alive1", 20));
  const named = { named: ["run_alive1"], isForced: false };
  await expect(findGarbage(machine, named)).rejects.toMatchObject({
    code: "RUN_NOT_ENDED",
    details: { run: "run_alive1", state: "suspended" },
  });
  const found = await findGarbage(machine, { ...named, isForced: true });
  await removeGarbage(machine, found, EVERYTHING);
  expect(machine.store.list()).toEqual([]);
});

test("a run that a process carries out is not removed, not even by force, nor when it came to life meanwhile", async () => {
  await writeRun(machine, recordedRun("run_ended1"));
  const found = await findGarbage(machine, EVERYTHING);
  const { pid, startedAt: pidStartedAt, bootId } = machine.identity;
  const journal = machine.store.open("run_ended1", "write");
  journal.takeLease(claim({ pid, pidStartedAt, bootId }), RULES);
  const forced = findGarbage(machine, { named: ["run_ended1"], isForced: true });
  await expect(forced).rejects.toMatchObject({ code: "RUN_OWNED" });
  expect(await removeGarbage(machine, found, EVERYTHING)).toMatchObject({
    runs: [],
    problems: [{ code: "RUN_OWNED" }],
  });
  journal.close();
  expect(machine.store.list()).toEqual(["run_ended1"]);
});

test("a damaged run stays unless it is named with force, and hides no other [P7]", async () => {
  await writeRun(machine, recordedRun("run_broken"));
  await writeRun(machine, recordedRun("run_ended1"));
  writeFileSync(directory("run_broken", "journal.seal"), "nonsense");
  const found = await findGarbage(machine, EVERYTHING);
  expect(found.runs.map(({ run }) => run)).toEqual(["run_ended1"]);
  expect(found.problems).toMatchObject([{ code: "STORE_CORRUPT" }]);
  const named = { named: ["run_broken"], isForced: true };
  expect(
    (await removeGarbage(machine, await findGarbage(machine, named), named)).runs,
  ).toMatchObject([{ run: "run_broken", state: "damaged", workflow: null }]);
  expect(machine.store.list()).toEqual(["run_ended1"]);
});

test("the directory of a run that is a link is refused, and what it leads to is left alone [T16]", async () => {
  await writeRun(machine, recordedRun("run_linked"));
  const elsewhere = join(machine.root, "elsewhere");
  renameSync(directory("run_linked"), elsewhere);
  symlinkSync(elsewhere, directory("run_linked"));
  const files = readdirSync(elsewhere);
  const found = await findGarbage(machine, EVERYTHING);
  expect(found).toMatchObject({ runs: [], problems: [{ code: "STORE_UNREADABLE" }] });
  await removeGarbage(machine, found, EVERYTHING);
  const forced = findGarbage(machine, { named: ["run_linked"], isForced: true });
  await expect(forced).rejects.toMatchObject({ code: "STORE_UNREADABLE" });
  expect(readdirSync(elsewhere)).toEqual(files);
});

test("what dead processes left goes, what living ones work on stays", async () => {
  mkdirSync(directory(), { recursive: true });
  const temporary = join(machine.root, "tmp");
  const socket = (name: string) => join(machine.root, "troupe", `r-${name}.sock`);
  const left = {
    removal: directory(".removed-run_a"),
    import: directory(`.import-run_b-${NO_PID}-0a1b2c3d`),
    "empty-run": directory("run_c"),
    "task-file": join(temporary, `troupe-task-${NO_PID}-AbC123`),
  };
  const kept = [
    directory(`.import-run_d-${process.pid}-0a1b2c3d`),
    directory("run_young1"),
    directory("notes"),
    join(temporary, `troupe-task-${process.pid}-AbC123`),
    join(temporary, "troupe-task-x"),
  ];
  for (const path of [...Object.values(left), ...kept]) mkdirSync(path, { recursive: true });
  writeFileSync(directory("notes", "mine.md"), "");
  for (const path of [left["empty-run"], directory("notes")]) age(path);
  mkdirSync(join(machine.root, "troupe"), { mode: 0o700 });
  await leaveSocket(socket("00000000"));
  const server = createServer().listen(socket("11111111"));
  onTestFinished(() => void server.close());
  age(socket("11111111"));
  const found = await findGarbage(machine, EVERYTHING);
  expect(Object.fromEntries(found.leftovers.map(({ kind, path }) => [kind, path]))).toEqual({
    ...left,
    socket: socket("00000000"),
  });
  await removeGarbage(machine, found, EVERYTHING);
  for (const path of Object.values(left)) expect(existsSync(path)).toBe(false);
  for (const path of kept) expect(existsSync(path)).toBe(true);
  expect(readdirSync(join(machine.root, "troupe"))).toEqual(["r-11111111.sock"]);
});

test("a run whose process ended before its first event goes after an hour, one with events stays", async () => {
  machine.store.create("run_never1").close();
  await writeRun(machine, recordedRun("run_alive1", 20));
  rmSync(directory("run_alive1", "journal.seal"));
  expect((await findGarbage(machine, EVERYTHING)).leftovers).toEqual([]);
  const later = { ...machine, clock: { ...machine.clock, now: () => Date.now() + DAY_MS } };
  const found = await findGarbage(later, { ...EVERYTHING, keep: 9 });
  expect(found.leftovers).toMatchObject([{ kind: "empty-run", path: directory("run_never1") }]);
  await removeGarbage(later, found, EVERYTHING);
  expect(machine.store.list()).toEqual(["run_alive1"]);
});

test("the socket of a run lies where garbage is looked for", () => {
  expect(controlSocketPath(machine.project, "run_a", machine.env)).toMatch(
    new RegExp(`^${machine.root}/troupe/r-[0-9a-f]{16}\\.sock$`),
  );
});

/** A socket whose process ended without removing it. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}.live`);
  await new Promise((resolve) => server.once("listening", resolve));
  // Closing removes the name that it was bound to, so it gets another one first.
  renameSync(`${path}.live`, path);
  await new Promise((resolve) => server.close(resolve));
  age(path);
}
