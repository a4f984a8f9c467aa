import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import type { RunCreated } from "../../src/contracts/events/run-events.ts";
import type { Context } from "../../src/contracts/ports/context.ts";
import type { LeaseAttempt } from "../../src/contracts/ports/store.ts";
import { RunDriver } from "../../src/engine/driver/run-driver.ts";
import { localDispatcher } from "../../src/engine/embedded/dispatcher.ts";
import { type OwnershipRequest, takeOwnership } from "../../src/engine/embedded/ownership.ts";
import { createRunLog } from "../../src/engine/embedded/run-log.ts";
import type { Ownership } from "../../src/engine/ports.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { livenessOf } from "../../src/host/system/process-identity.ts";
import { leaseLost, storeBusy, storeUnreadable } from "../../src/journal/errors.ts";
import { MemoryJournal } from "../../src/journal/memory-journal.ts";
import { createManualClock, type ManualClock } from "../../src/testing/manual-clock.ts";
import { codeOf } from "./program-parts.ts";

const table = createProcessTable();
const CREATED: RunCreated = {
  ...{ type: "run-created", workflow: "test", instance: "default", program: "test" },
  ...{ definitionHash: "0".repeat(64), seed: "s", troupe: "0.0.0", cwd: "/", limits: {} },
};
const place = { run: "run_aaaaaa", place: "in memory" };

/** A journal that fails as it is told to. */
class FailingJournal extends MemoryJournal {
  failRelease: unknown;
  /** Somebody holds the lock. */
  isLocked = () => false;
  renewals = 0;
  seals = 0;

  override takeLease(...given: Parameters<MemoryJournal["takeLease"]>): LeaseAttempt {
    if (this.isLocked()) throw storeBusy(place);
    return super.takeLease(...given);
  }

  override renewLease(epoch: number, nowMs: number): void {
    this.renewals += 1;
    super.renewLease(epoch, nowMs);
  }

  override seal(): void {
    this.seals += 1;
    super.seal();
  }

  override releaseLease(epoch: number): void {
    if (this.failRelease !== undefined) throw this.failRelease;
    super.releaseLease(epoch);
  }
}

function emptyJournal(): FailingJournal {
  const state = {
    ...{ run: "run_aaaaaa", events: [], blobs: new Map(), waiters: new Set<() => void>() },
    ...{ head: undefined, lease: { epoch: 0 }, seen: undefined, hasGivenUp: false },
  };
  return new FailingJournal(state, "write");
}

function requestFor(journal: FailingJournal, timers: ManualClock): OwnershipRequest {
  const pidStartedAt = table.find(process.pid)?.startedAt ?? "";
  const claim = {
    ...{ pid: process.pid, pidStartedAt, bootId: table.bootId() },
    ...{ command: "troupe run x", socketPath: "" },
  };
  return { journal, claim, timers, table };
}

/** Somebody else takes the lease, whoever holds it. */
function robLease(journal: FailingJournal): void {
  const thief = {
    ...{ pid: 1, pidStartedAt: "0", bootId: table.bootId() },
    ...{ socketPath: "", command: "thief" },
  };
  journal.takeLease({ ...thief, nowMs: 0 }, { ttlMs: 0, isGone: () => true });
}

/** A run that sleeps for so long and is done. */
function sleepingRun(journal: FailingJournal, ownership: Ownership, timers: ManualClock) {
  const run = async (context: Context) => {
    await context.sleep(1_000_000);
    return { outcome: "completed", reason: "done", metadata: {} } as const;
  };
  return new RunDriver<null>({
    recorder: { log: createRunLog(journal, ownership.epoch), mask: undefined, stepTotal: 0 },
    ...{ ownership, timers, dispatcher: localDispatcher, suspendsWhenWaiting: false },
    call: {
      ...{ program: { name: "test", run }, definition: null, host: JSON.parse("{}") },
      runPattern: () => Promise.reject(new Error("a test run has no patterns")),
    },
    beginning: { created: { event: CREATED, definitionText: "null" }, limits: undefined },
    toResult: () => null,
  });
}

test.each([
  ["is let go", (driver: RunDriver<null>) => driver.suspend("interrupted", 130)],
  ["fails", (driver: RunDriver<null>) => driver.fail(new Error("a fault"))],
])("a run that %s gives its lease back [ENG-4]", async (_what, part) => {
  const [journal, timers] = [emptyJournal(), createManualClock()];
  const ownership = await takeOwnership(requestFor(journal, timers));
  const driver = sleepingRun(journal, ownership, timers);
  driver.start();
  const parted = codeOf(driver.parted);
  await timers.advance(10);
  expect(journal.leaseHolder()).toMatchObject({ pid: process.pid });
  part(driver);
  await parted;
  expect(journal.leaseHolder()).toBeUndefined();
  expect(timers.timerCount).toBe(0);
});

test("a run whose lease somebody else has taken stops at the next renewal, although it writes nothing [ENG-4]", async () => {
  const [journal, timers] = [emptyJournal(), createManualClock()];
  const ownership = await takeOwnership(requestFor(journal, timers));
  const driver = sleepingRun(journal, ownership, timers);
  driver.start();
  const code = codeOf(driver.parted);
  await timers.advance(3000);
  await timers.advance(3000);
  expect([journal.renewals, journal.seals]).toEqual([2, 1]);
  robLease(journal);
  await timers.advance(3000);
  expect(await code).toBe("ENGINE_LEASE_LOST");
  expect(timers.timerCount).toBe(0);
});

test("the lease of a living process is not taken, and who holds it is told [ENG-4]", async () => {
  const [journal, timers] = [emptyJournal(), createManualClock()];
  const ownership = await takeOwnership(requestFor(journal, timers));
  await expect(takeOwnership(requestFor(journal, timers))).rejects.toMatchObject({
    code: "ENGINE_RUN_OWNED",
    details: { run: "run_aaaaaa", pid: process.pid, command: "troupe run x" },
  });
  ownership.release();
});

test("the runs of a process renew their leases in the same moments, until each is given back", async () => {
  const timers = createManualClock();
  await timers.advance(1000);
  const [first, second] = [emptyJournal(), emptyJournal()];
  const owned = await takeOwnership(requestFor(first, timers));
  await timers.advance(500);
  const other = await takeOwnership(requestFor(second, timers));
  await timers.advance(1499);
  expect([first.renewals, second.renewals]).toEqual([0, 0]);
  await timers.advance(1);
  expect([first.renewals, second.renewals]).toEqual([1, 1]);
  owned.release();
  owned.release();
  await timers.advance(3000);
  expect([first.renewals, second.renewals]).toEqual([1, 2]);
  other.release();
  expect(timers.timerCount).toBe(0);
  expect(first.leaseHolder()).toBeUndefined();
});

test.each([
  { name: "another process locks", error: storeBusy(place) },
  { name: "cannot be read", error: storeUnreadable({ ...place, problem: "torn" }) },
  { name: "another owner holds", error: leaseLost({ run: "r", epoch: 1, currentEpoch: 2 }) },
])("a run is let go whose journal $name: its lease runs out by itself", async ({ error }) => {
  const [journal, timers] = [emptyJournal(), createManualClock()];
  const ownership = await takeOwnership(requestFor(journal, timers));
  journal.failRelease = error;
  ownership.release();
  await timers.advance(10_000);
  expect(journal.renewals).toBe(0);
});

test.each([
  new TypeError("a fault"),
  Object.assign(new Error("another code"), { code: "HOST_X" }),
  "a text",
])("a fault while a run is let go is not swallowed: %s", async (error) => {
  const [journal, timers] = [emptyJournal(), createManualClock()];
  const ownership = await takeOwnership(requestFor(journal, timers));
  journal.failRelease = error;
  expect(() => ownership.release()).toThrow();
});

test.each([
  { name: "is ended", isTakenMeanwhile: false },
  { name: "lives on when another has taken its lease meanwhile", isTakenMeanwhile: true },
])("an owner that is frozen inside a transaction $name [ENG-4]", async ({ isTakenMeanwhile }) => {
  const frozen = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => frozen.once("exit", (_code, signal) => resolve(signal)));
  const { pid = 0 } = frozen;
  const [journal, timers] = [emptyJournal(), createManualClock()];
  const holder = {
    ...{ pid, pidStartedAt: table.find(pid)?.startedAt ?? "", bootId: table.bootId() },
    ...{ socketPath: "", command: "frozen" },
  };
  // Its lease ran out long ago.
  journal.takeLease({ ...holder, nowMs: -1_000_000 }, { ttlMs: 0, isGone: () => true });
  const lockedUntilMs = 5000;
  journal.isLocked = () => timers.monotonic() < lockedUntilMs;
  const taking = takeOwnership(requestFor(journal, timers));
  const status = codeOf(taking);
  await timers.advance(1000);
  if (isTakenMeanwhile) {
    journal.isLocked = () => false;
    robLease(journal);
    journal.isLocked = () => timers.monotonic() < lockedUntilMs;
  }
  expect(frozen.killed || frozen.exitCode !== null || frozen.signalCode !== null).toBe(false);
  await timers.advance(1200);
  journal.isLocked = () => false;
  await timers.advance(1000);
  expect(await status).toBe("ok");
  const { pidStartedAt: startedAt, bootId } = holder;
  if (isTakenMeanwhile) expect(livenessOf(table, { pid, startedAt, bootId })).toBe("alive");
  else expect(await ended).toBe("SIGKILL");
  frozen.kill("SIGKILL");
  await ended;
  (await taking).release();
});

test("an owner whose lease is locked by nobody known is told of the lock [ENG-4]", async () => {
  const [journal, timers] = [emptyJournal(), createManualClock()];
  journal.isLocked = () => true;
  const status = codeOf(takeOwnership(requestFor(journal, timers)));
  await timers.advance(10_000);
  expect(await status).toBe("STORE_BUSY");
});

/** A holder on another host that has the pid of a process that lives here. */
async function holderElsewhere(pid: number) {
  const [journal, timers] = [emptyJournal(), createManualClock()];
  const pidStartedAt = table.find(pid)?.startedAt ?? "";
  const claim = {
    ...{ pid, pidStartedAt, bootId: "boot.1", host: "b" },
    ...{ socketPath: "", command: "troupe run y" },
  };
  journal.takeLease({ ...claim, nowMs: 77 }, { ttlMs: 10_000, isGone: () => false });
  const notices: string[] = [];
  const request = {
    ...requestFor(journal, timers),
    nowMs: () => timers.monotonic(),
    onWait: (notice: Error) => void notices.push(notice.message),
  };
  return { journal, timers, request, notices };
}

test("an owner on another host is waited for until its lease has lapsed on this clock, and the wait is reported [ENG-20.elsewhere]", async () => {
  const { timers, request, notices } = await holderElsewhere(process.pid);
  const taking = takeOwnership(request);
  const status = codeOf(taking);
  await timers.advance(9_900);
  expect(notices).toEqual([
    `waiting up to 10 s for run_aaaaaa: owned by pid ${process.pid} on host b`,
  ]);
  await timers.advance(700);
  expect(await status).toBe("ok");
  const owned = await taking;
  expect(owned.epoch).toBe(2);
  owned.release();
});

test("an owner on another host that renews its lease keeps the run, and the wait ends at once [ENG-20.elsewhere]", async () => {
  const { journal, timers, request } = await holderElsewhere(process.pid);
  const taking = takeOwnership(request);
  const refused = expect(taking).rejects.toMatchObject({
    code: "ENGINE_RUN_OWNED",
    message: expect.stringContaining(`pid ${process.pid} on host b`),
  });
  await timers.advance(2600);
  journal.renewLease(1, 78);
  await timers.advance(500);
  await refused;
  expect(timers.timerCount).toBe(0);
});

test("the wait for an owner on another host can be aborted [ENG-20.elsewhere]", async () => {
  const { timers, request } = await holderElsewhere(process.pid);
  const stop = new AbortController();
  const refused = expect(takeOwnership({ ...request, signal: stop.signal })).rejects.toThrow(
    "enough",
  );
  await timers.advance(1000);
  stop.abort(new Error("enough"));
  await refused;
  expect(timers.timerCount).toBe(0);
});

test("a frozen owner on another host that keeps the lock is an error that names its host, and no process here is ended [ENG-20.frozen]", async () => {
  const bystander = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], {
    stdio: "ignore",
  });
  const ended = new Promise((resolve) =>
    bystander.once("exit", (_code, signal) => resolve(signal)),
  );
  const { pid = 0 } = bystander;
  const { journal, timers, request } = await holderElsewhere(pid);
  journal.isLocked = () => timers.monotonic() > 9_000;
  const frozen = expect(takeOwnership(request)).rejects.toMatchObject({
    code: "ENGINE_OWNER_FROZEN",
    message: expect.stringContaining(`pid ${pid} on host b`),
  });
  await timers.advance(9_000);
  await timers.advance(5_000);
  await frozen;
  expect(bystander.signalCode).toBeNull();
  bystander.kill("SIGTERM");
  expect(await ended).toBe("SIGTERM");
});
