import type { Journal, RunStore } from "../../contracts/ports/store.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { Json } from "../../foundation/json.ts";
import { createVirtualTime, type VirtualTime } from "../../foundation/virtual-time.ts";
import { createHost, type HostOptions, type ProcessHost } from "../../host/host.ts";
import { createMemoryStore } from "../../journal/memory-store.ts";
import { createMachineAt, type Machine } from "../machine/machine.ts";

// Owns the world of one played run: its time, its journals, and the processes of Troupe that carry it out one after the
// other. Does not own how time moves: whoever drives it does.
// I1: what a killed process has asked for after its death changes nothing: no timer fires, no append is made.
// I2: all processes share the journals and the time; nothing else outlives one.

/** Where a run is played, and what of the machine around it counts there. */
export interface StageOptions {
  /** Absolute directory where agents work. */
  readonly cwd: string;
  /** Whose environment and configuration hold. */
  readonly outer: Machine;
  /** What programs are started with. Defaults to the host of this machine. */
  readonly createHost?: ((options: HostOptions) => ProcessHost) | undefined;
  /** Called after each commit of any process; true when the process dies of it. Defaults to none that does. */
  readonly diesAfter?: ((journal: Journal) => boolean) | undefined;
}

/** A process of Troupe on a stage. */
export interface StagedProcess {
  readonly machine: Machine;
  /** Timers that it has set and that wait. */
  readonly timerCount: number;
  /** Ends it as `kill -9` would, with all programs that it has started. */
  kill(): Promise<void>;
}

/** What a journal in memory holds beside its events. */
export interface JournalParts {
  readonly blobs: { readonly [hash: string]: string };
  readonly head: Json | undefined;
}

/** The world of a played run. */
export interface Stage {
  readonly time: VirtualTime;
  readonly store: RunStore;
  /** Counts whatever happens: commits and timers. */
  readonly activity: number;
  /** Programs of the machine that a run waits for. */
  readonly programs: number;
  /** Starts the next process; whoever died before has left its leases. */
  begin(): StagedProcess;
  /** What lies in the journal of a run. */
  partsOf(run: string): JournalParts;
}

const START_MS = Date.UTC(2026, 0, 1);

/** An empty stage. */
export function createStage(options: StageOptions): Stage {
  const time = createVirtualTime(START_MS);
  const store = createMemoryStore({ isGone: () => true });
  const parts = new Map<string, JournalParts>();
  let activity = 0;
  let programs = 0;
  const note = () => {
    activity += 1;
  };
  const work = async <Result>(program: Promise<Result>) => {
    programs += 1;
    try {
      return await program;
    } finally {
      programs -= 1;
      note();
    }
  };
  return {
    time,
    store,
    get activity() {
      return activity;
    },
    get programs() {
      return programs;
    },
    begin: () => {
      for (const run of store.list()) leaveLease(store, run);
      return beginProcess(options, { time, store, parts, note, work });
    },
    partsOf: (run) => parts.get(run) ?? { blobs: {}, head: undefined },
  };
}

interface World {
  readonly time: VirtualTime;
  readonly store: RunStore;
  readonly parts: Map<string, JournalParts>;
  readonly note: () => void;
  /** Counts a program for as long as it runs. */
  readonly work: <Result>(program: Promise<Result>) => Promise<Result>;
}

function beginProcess(options: StageOptions, world: World): StagedProcess {
  const { cwd, outer, diesAfter } = options;
  const create = options.createHost ?? createHost;
  const timers = new Set<{ cancel(): void }>();
  const hosts = new Set<ProcessHost>();
  let isDead = false;
  const clock = processClock(world, timers, () => isDead);
  const watch = (journal: Journal) =>
    watchJournal(journal, world, {
      isDead: () => isDead,
      committed: () => {
        isDead ||= diesAfter?.(journal) === true;
      },
    });
  const { store } = world;
  const machine: Machine = {
    ...createMachineAt({
      cwd,
      env: { ...outer.env, TROUPE_DIR: undefined },
      clock,
      store: "memory",
    }),
    readConfig: () => outer.readConfig(),
    store: {
      ...store,
      create: (run) => watch(store.create(run)),
      open: (run, mode) => watch(store.open(run, mode)),
    },
    createHost: (given) => {
      const host = create(given);
      hosts.add(host);
      // What only seems to run takes its time from the clock.
      if (options.createHost !== undefined) return host;
      return { ...host, run: (request, signal) => world.work(host.run(request, signal)) };
    },
  };
  return {
    machine,
    get timerCount() {
      return timers.size;
    },
    kill: async () => {
      isDead = true;
      for (const timer of timers) timer.cancel();
      await Promise.all([...hosts].map((host) => host.close()));
    },
  };
}

/** The time of the stage as one process has it. */
function processClock(
  { time, note }: World,
  timers: Set<{ cancel(): void }>,
  isDead: () => boolean,
): Clock {
  return {
    now: time.now,
    monotonic: time.monotonic,
    startTimer: (delayMs, fire) => {
      if (isDead()) return { cancel: () => {} };
      note();
      const timer = time.startTimer(delayMs, () => {
        timers.delete(timer);
        fire();
      });
      timers.add(timer);
      return {
        cancel: () => {
          timers.delete(timer);
          timer.cancel();
        },
      };
    },
  };
}

function watchJournal(
  journal: Journal,
  { parts, note }: World,
  { isDead, committed }: { readonly isDead: () => boolean; readonly committed: () => void },
): Journal {
  const append = journal.append.bind(journal);
  return Object.assign(journal, {
    append: async (batch: Parameters<Journal["append"]>[0]) => {
      // The dead do not learn that nothing was written.
      if (isDead()) return new Promise<void>(() => {});
      await append(batch);
      note();
      const { blobs = {}, head } = parts.get(journal.run) ?? {};
      parts.set(journal.run, {
        blobs: batch.blobs === undefined ? blobs : { ...blobs, ...batch.blobs },
        head: batch.head ?? head,
      });
      committed();
    },
  });
}

function leaveLease(store: RunStore, run: string): void {
  const journal = store.open(run, "write");
  const holder = journal.leaseHolder();
  if (holder !== undefined) journal.releaseLease(holder.epoch);
  journal.close();
}
