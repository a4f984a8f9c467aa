import type { DayBudget, SpentDay } from "../../agents/budget/day-budget.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { RunStore } from "../../contracts/ports/store.ts";
import { TroupeError } from "../../foundation/errors.ts";
import type { Config } from "../machine/config/config.ts";
import { knownMachines } from "../machine/known-machines.ts";
import { rememberProject } from "../machine/known-projects.ts";
import type { Machine } from "../machine/machine.ts";
import type { RunListing } from "./run-heads.ts";
import { readRunList } from "./run-index.ts";

// What other processes spend is looked up again after so long.
const FRESH_MS = 2000;

/** The limits of a day for a run, kept by what the journals of all runs say; undefined where none is set. */
export function createDayBudget(
  machine: Machine,
  run: string,
  { user, project }: Config["perDay"],
): DayBudget | undefined {
  if (user === undefined && project === undefined) return undefined;
  // Whoever sums up the projects of this user has to know them.
  if (user !== undefined && machine.keepsFiles) rememberProject(machine.env, machine.project.root);
  const counted = [
    ...(project === undefined ? [] : [{ limit: project, of: "project" as const }]),
    ...(user === undefined ? [] : [{ limit: user, of: "user" as const }]),
  ];
  const meters = counted.map(({ limit, of }) => {
    const machines = () => (of === "user" ? knownMachines(machine).machines : [machine]);
    const spentAt = createMeter(machine, run, machines);
    return (costUsd: number): SpentDay | undefined => {
      const spent = spentAt(costUsd);
      return spent < limit ? undefined : { limit, spent, of };
    };
  });
  return {
    spentAt: (costUsd) => {
      for (const meter of meters) {
        const spent = meter(costUsd);
        if (spent !== undefined) return spent;
      }
      return undefined;
    },
  };
}

/** What the runs have cost today: others as their journals have it, this one as whoever carries it out knows it. */
function createMeter(
  { clock, store }: Pick<Machine, "clock" | "store">,
  run: string,
  machines: () => readonly Machine[],
): (costUsd: number) => number {
  const older = new Map<string, { readonly lastSeq: number; readonly usd: number }>();
  let others:
    | { readonly startMs: number; readonly readMs: number; readonly usd: number }
    | undefined;
  let before: { readonly startMs: number; readonly usd: number } | undefined;
  const costOf = (
    one: Pick<Machine, "store" | "project">,
    listing: RunListing,
    startMs: number,
  ) => {
    const begunMs = Date.parse(listing.startedAt ?? listing.lastAt);
    if (begunMs >= startMs && listing.forkedFrom === undefined) return listing.costUsd ?? 0;
    const key = `${startMs} ${one.project.root} ${listing.run}`;
    const known = older.get(key);
    if (known?.lastSeq === listing.lastSeq) return known.usd;
    const { since: usd } = readCost(one.store, listing.run, startMs);
    older.set(key, { lastSeq: listing.lastSeq, usd });
    return usd;
  };
  const readOthers = (startMs: number) =>
    machines()
      .flatMap((one) => readRunList(one).runs.map((listing) => ({ one, listing })))
      .filter(({ listing }) => listing.run !== run && listing.foreign === null)
      .filter(({ listing }) => Date.parse(listing.lastAt) >= startMs)
      .reduce((sum, { one, listing }) => sum + costOf(one, listing, startMs), 0);
  return (costUsd) => {
    const nowMs = clock.now();
    const startMs = startOfDay(nowMs);
    const isFresh = others?.startMs === startMs && Math.abs(nowMs - others.readMs) < FRESH_MS;
    if (others === undefined || !isFresh)
      others = { startMs, readMs: nowMs, usd: readOthers(startMs) };
    if (before === undefined) before = { startMs, usd: readCost(store, run, startMs).before };
    // What a run has cost until midnight is no cost of the new day.
    else if (before.startMs !== startMs) before = { startMs, usd: costUsd };
    return others.usd + costUsd - before.usd;
  };
}

/** Midnight where this process is. */
function startOfDay(nowMs: number): number {
  return new Date(nowMs).setHours(0, 0, 0, 0);
}

/** What a run has cost before a time and since; of a fork nothing that it shares with its source. A run that cannot be read has cost nothing. */
function readCost(
  store: RunStore,
  run: string,
  sinceMs: number,
): { readonly before: number; readonly since: number } {
  let [before, since] = [0, 0];
  try {
    const journal = store.open(run, "read");
    try {
      for (const event of journal.read()) {
        if (event.type === "run-forked") [before, since] = [before + since, 0];
        else if (event.at < sinceMs) before += costIn(event);
        else since += costIn(event);
      }
    } finally {
      journal.close();
    }
  } catch (error) {
    // One that is damaged or being removed must not keep the others from working (I9).
    if (!(error instanceof TroupeError)) throw error;
  }
  return { before, since };
}

function costIn(event: JournalEvent): number {
  switch (event.type) {
    case "turn-completed":
    case "turn-failed":
    case "turn-interrupted":
      return event.usage?.costUsd ?? 0;
    default:
      return 0;
  }
}
