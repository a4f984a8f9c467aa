import type { EventData, JournalEvent } from "../contracts/events/event.ts";
import type { RunCreated } from "../contracts/events/run-events.ts";
import type { Host } from "../contracts/host.ts";
import type { Context } from "../contracts/ports/context.ts";
import type { ProgramResult } from "../contracts/ports/program.ts";
import type { Journal, LeaseClaim } from "../contracts/ports/store.ts";
import type { RunLimits } from "../contracts/run.ts";
import { RunDriver } from "../engine/driver/run-driver.ts";
import { localDispatcher } from "../engine/embedded/dispatcher.ts";
import { createRunLog } from "../engine/embedded/run-log.ts";
import type { LogBatch, Ownership } from "../engine/ports.ts";
import type { RunParting } from "../engine/run-exit.ts";
import type { Json } from "../foundation/json.ts";
import { createMemoryStore } from "../journal/memory-store.ts";
import { createManualClock, type ManualClock, settle } from "./manual-clock.ts";

/** The program of a test: what it returns becomes the metadata of the run's result. */
export type TestProgram = (context: Context) => Promise<Json>;

/** How a test run differs from the plainest one. */
export interface TestRunOptions {
  readonly limits?: RunLimits;
  readonly seed?: string;
  readonly suspendsWhenWaiting?: boolean;
  readonly cleanupMs?: number;
  /** Registers handlers and listeners with each owner before it starts. */
  readonly prepare?: (driver: RunDriver<null>) => void;
  /** Stands between the owner and its journal: delays, failures. Defaults to a plain append. */
  readonly append?: (batch: LogBatch, append: () => Promise<number>) => Promise<number>;
  readonly onCommitted?: (events: readonly JournalEvent[]) => void;
  /** Events that the journal holds from the start. */
  readonly events?: readonly JournalEvent[];
  /** Where the clock starts, in ms since the epoch. Defaults to the last of `events`, else 2026-01-01. */
  readonly startMs?: number;
}

/** A run in memory under a manual clock, carried out by one owner after the other. */
export interface TestRun {
  readonly clock: ManualClock;
  /** What is durable. */
  readonly events: readonly JournalEvent[];
  /** The next owner takes the run and starts; an earlier one that lives on has lost its lease. */
  start(limits?: RunLimits): RunDriver<null>;
  /** Starts the next owner and moves the clock on until it and the run part. */
  carryOut(limits?: RunLimits): Promise<RunParting>;
  /** The same run as a crash after the first `eventCount` events would leave it. */
  crashedAfter(eventCount: number): TestRun;
}

const RUN_ID = "run_test";
// More turns of the event loop in which nothing is appended than any ready effect needs.
const QUIET_ROUNDS = 4;
const MOST_TIMERS = 10_000;

const CREATED: RunCreated = {
  type: "run-created",
  workflow: "test",
  instance: "default",
  definitionHash: "0".repeat(64),
  program: "test",
  seed: "seed",
  troupe: "0.0.0",
  cwd: "/",
  limits: {},
};

/** A run of a program; nobody carries it out yet. */
export function createTestRun(program: TestProgram, options: TestRunOptions = {}): TestRun {
  const { events: recorded = [] } = options;
  const clock = createManualClock(options.startMs ?? recorded.at(-1)?.at);
  const journal = createMemoryStore().create(RUN_ID);
  const ready = fill(journal, recorded);
  const start = (limits?: RunLimits) => {
    const driver = createDriver(program, { options, clock, journal, limits });
    options.prepare?.(driver);
    driver.start();
    return driver;
  };
  return {
    clock,
    get events() {
      return [...journal.read()];
    },
    start,
    carryOut: async (limits) => {
      await ready;
      return untilParted(start(limits), clock);
    },
    crashedAfter: (eventCount) =>
      createTestRun(program, { ...options, events: [...journal.read()].slice(0, eventCount) }),
  };
}

/** Moves the clock on whenever nothing else happens, until the owner and its run part. */
export async function untilParted(
  driver: RunDriver<null>,
  clock: ManualClock,
): Promise<RunParting> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  driver.parted.then(over, over);
  let appended = 0;
  const stopCounting = driver.onAppended(() => {
    appended += 1;
  });
  for (let fired = 0; !isOver && fired < MOST_TIMERS; fired += 1) {
    for (let before = -1; before !== appended && !isOver; await settle(QUIET_ROUNDS)) {
      before = appended;
    }
    if (!isOver) await clock.advanceToNext();
  }
  stopCounting();
  if (!isOver) throw new Error(`${driver.run} does not end`);
  return driver.parted;
}

/** The result that the run ended with; anything else is an error. */
export function runResultOf(parting: RunParting): Json {
  if (parting.status === "suspended")
    throw new Error(`the run was let go: ${parting.event.reason}`);
  return parting.event.result;
}

interface DriverParts {
  readonly options: TestRunOptions;
  readonly clock: ManualClock;
  readonly journal: Journal;
  readonly limits: RunLimits | undefined;
}

function createDriver(program: TestProgram, parts: DriverParts): RunDriver<null> {
  const { options, clock, journal, limits } = parts;
  const ownership = takeOwnership(journal, clock);
  const log = createRunLog(journal, ownership.epoch);
  const { append = (_batch, write) => write() } = options;
  const created: RunCreated = {
    ...CREATED,
    seed: options.seed ?? CREATED.seed,
    limits: options.limits ?? {},
  };
  return new RunDriver<null>({
    recorder: {
      log: { ...log, append: (batch) => append(batch, () => log.append(batch)) },
      mask: undefined,
      stepTotal: 0,
    },
    ownership,
    timers: clock,
    dispatcher: localDispatcher,
    call: {
      program: { name: "test", run: async (context) => completed(await program(context)) },
      definition: null,
      host: createNoHost(),
      runPattern: () => Promise.reject(new Error("a test run has no patterns")),
    },
    beginning: {
      created: journal.lastSeq() === 0 ? { event: created, definitionText: "null" } : undefined,
      limits,
    },
    suspendsWhenWaiting: options.suspendsWhenWaiting ?? false,
    toResult: (_state, result) => result?.metadata["value"] ?? null,
    cleanupMs: options.cleanupMs,
    onCommitted: options.onCommitted,
  });
}

function completed(value: Json): ProgramResult {
  return { outcome: "completed", reason: "done", metadata: { value } };
}

function takeOwnership(journal: Journal, clock: ManualClock): Ownership {
  const holder = { pid: 1, pidStartedAt: "0", bootId: "test", socketPath: "", command: "test" };
  const claim: LeaseClaim = { ...holder, nowMs: clock.monotonic() };
  const attempt = journal.takeLease(claim, { ttlMs: 0, isGone: () => true });
  if (attempt.status === "held") throw new Error("the run of a test has an owner that cannot be");
  const { epoch } = attempt;
  return { epoch, onLost: () => {}, release: () => journal.releaseLease(epoch) };
}

/** Events are put into an empty journal under an epoch that is given back at once. */
async function fill(journal: Journal, events: readonly JournalEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { epoch, release } = takeOwnership(journal, createManualClock());
  await journal.append({ epoch, events });
  release();
}

/** Programs of tests that need a machine bring it with their own handlers. */
function createNoHost(): Host {
  const refuse = () => {
    throw new Error("a test run has no host");
  };
  return {
    run: refuse,
    workspace: refuse,
    git: {
      ...{ branch: refuse, diff: refuse, fingerprint: refuse, mark: refuse, changedSince: refuse },
      ...{ touchedSince: refuse, keep: refuse, commitSince: refuse },
    },
    variable: refuse,
    baseEnv: (extra) => extra,
    commandEnv: (extra) => extra,
    callerEnv: (extra) => extra,
  };
}

/** The data of events without their place in the journal: for comparing runs. */
export function dataOf(events: readonly JournalEvent[]): readonly EventData[] {
  return events.map(({ seq: _seq, at: _at, ...data }) => data);
}
