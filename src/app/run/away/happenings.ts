import type { JournalEvent } from "../../../contracts/events/event.ts";
import { addUsage, type Usage } from "../../../contracts/usage.ts";
import { fold } from "../../../fold/fold.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../../fold/state/run-state.ts";
import type { TroupeError } from "../../../foundation/errors.ts";
import type { Machine } from "../../machine/machine.ts";
import { inFamilies } from "../../runs/families/run-families.ts";
import { readEvents } from "../../runs/run-events.ts";
import type { RunListing } from "../../runs/run-heads.ts";
import { readRunList } from "../../runs/run-index.ts";

/** What happened in one run since a time. */
export interface RunHappening {
  readonly listing: RunListing;
  /** The run as it is now. */
  readonly state: RunState;
  readonly messages: number;
  /** Paths that agents touched. */
  readonly files: ReadonlySet<string>;
  /** Of the turns that ended since; undefined when nothing is known. */
  readonly costUsd: number | undefined;
  /** Part of it that comes from a price table. */
  readonly estimatedUsd: number;
}

/** What happened in a project since a time, and runs that could not be read. */
export interface Happenings {
  /** Runs in which something happened or that wait for a person, the newest last. */
  readonly runs: readonly RunHappening[];
  readonly problems: readonly TroupeError[];
}

/** Reads what happened since a time, in ms since the epoch. Raises STORE_* errors of a run that matters. */
export function readHappenings(machine: Machine, sinceMs: number): Happenings {
  const { runs, problems } = readRunList(machine);
  const families = [...Map.groupBy(inFamilies(runs), ({ root }) => root).values()];
  const touched = families.filter((family) =>
    family.some(({ lastAt, needs }) => needs > 0 || Date.parse(lastAt) >= sinceMs),
  );
  return {
    runs: touched.flatMap((family) => readFamily(machine, family, sinceMs)).reverse(),
    problems,
  };
}

/** A run with all that happened below it. */
function readFamily(
  machine: Machine,
  family: readonly RunListing[],
  sinceMs: number,
): readonly RunHappening[] {
  const [top, ...below] = family.map((listing) => readHappening(machine, listing, sinceMs));
  if (top === undefined) return [];
  return [below.reduce(together, top)];
}

function together(top: RunHappening, below: RunHappening): RunHappening {
  const { messages, files, costUsd, estimatedUsd } = below;
  return {
    ...top,
    messages: top.messages + messages,
    files: new Set([...top.files, ...files]),
    costUsd: costUsd === undefined ? top.costUsd : (top.costUsd ?? 0) + costUsd,
    estimatedUsd: top.estimatedUsd + estimatedUsd,
  };
}

function readHappening(machine: Machine, listing: RunListing, sinceMs: number): RunHappening {
  const state = emptyRunState(listing.run, NO_MESSAGES);
  const files = new Set<string>();
  let messages = 0;
  let usage: Usage = {};
  for (const event of readEvents(machine, listing.run)) {
    fold(state, event);
    if (event.at < sinceMs) continue;
    if (event.type === "message-posted") messages += 1;
    if (event.type === "file-changed") files.add(event.path);
    usage = addUsage(usage, usageOf(event));
  }
  const { costUsd, estimatedUsd = 0 } = usage;
  return { listing, state, messages, files, costUsd, estimatedUsd };
}

function usageOf(event: JournalEvent): Usage {
  const isTurnEnd =
    event.type === "turn-completed" ||
    event.type === "turn-failed" ||
    event.type === "turn-interrupted";
  return (isTurnEnd ? event.usage : undefined) ?? {};
}
