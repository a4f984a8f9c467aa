import type { RunStore } from "../../contracts/ports/store.ts";
import type { RunStatus } from "../../contracts/run.ts";
import { itemResolved } from "../../engine/errors.ts";
import { foldAll } from "../../fold/fold.ts";
import { NO_MESSAGES, type RunState, type RunStateOptions } from "../../fold/state/run-state.ts";
import { waitingItems } from "../../fold/waiting.ts";
import { TroupeError } from "../../foundation/errors.ts";
import { runNotFound } from "../../journal/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { foreignReasonOf } from "./assert-own-run.ts";
import { decisionOn, itemOf } from "./check-command.ts";
import { itemAmbiguous, itemNotFound, runAmbiguous } from "./errors.ts";
import { readHead } from "./run-heads.ts";

/** Something that waits for a person, and where. */
export interface FoundItem {
  readonly run: string;
  readonly id: string;
  readonly kind: string;
}

const RUN_LIKE = /^(?:@|run_)./;
// Whoever decides too late does so soon after; all journals of a project would take long to read.
const MAX_SEARCHED_RUNS = 20;

/**
 * The full id of a run: by id, by the beginning of one, `@last`, `@failed`. Raises RUN_NOT_FOUND,
 * RUN_AMBIGUOUS.
 */
export function resolveRun(store: RunStore, given: string): string {
  // A whole id needs no look at all the others.
  if (store.has(given) && readHead(store, given) !== undefined) return given;
  const ids = store.list();
  if (ids.includes(given)) return given;
  if (given === "@last") return first(newest(store, ids), given, ids);
  if (given === "@failed") return first(newest(store, ids, "failed"), given, ids);
  const matches = ids.filter(
    (id) => given !== "" && (id.startsWith(given) || id.startsWith(`run_${given}`)),
  );
  const [match] = matches;
  if (match === undefined) throw runNotFound({ run: given, known: ids });
  if (matches.length > 1) throw runAmbiguous({ given, matches });
  return match;
}

/**
 * The run and the full id of something that waits for a person: by id, or by the beginning of one. Raises
 * RUN_ITEM_NOT_FOUND, RUN_ITEM_AMBIGUOUS, and ENGINE_ITEM_RESOLVED for what was decided not long ago.
 */
export function findWaitingItem(store: RunStore, given: string): FoundItem {
  const runs = store.list();
  // Where it is asked, not where it is passed on.
  const matches = runs.flatMap((run) =>
    openItemsOf(store, run).filter((item) => item.run === run && isNamed(item.id, given)),
  );
  // What somebody else's journal asks must not stand in the way of what asks this user.
  const own = matches.filter(({ run }) => foreignReasonOf(store, run) === undefined);
  const meant = own.length > 0 ? own : matches;
  const exact = meant.find((item) => item.id === given);
  if (exact !== undefined) return exact;
  const [match] = meant;
  if (match === undefined)
    throw (
      decidedBefore(store, runs, given) ?? itemNotFound({ id: given, isRun: RUN_LIKE.test(given) })
    );
  if (meant.length > 1) throw itemAmbiguous({ given, matches: meant.map((item) => item.id) });
  return match;
}

/** What to tell of something that does not wait any more: who decided, if somebody did. */
export function waitsNoMore(state: RunState, id: string): TroupeError {
  const decided = decisionOn(state, id);
  return decided === undefined ? itemNotFound({ id }) : itemResolved({ id, ...decided });
}

/** Everything that waits for people in a run and below it, oldest first; also what its summary has no room for. */
export function openItemsOf(store: RunStore, run: string): readonly FoundItem[] {
  const head = readHead(store, run);
  if (head === undefined || head.needs === 0) return [];
  const state = head.needs > head.waitingFor.length ? readSound(store, run) : undefined;
  const items = state === undefined ? head.waitingFor : waitingItems(state);
  return items.map((item) => ({ run: item.run ?? run, id: item.id, kind: item.kind }));
}

/** The state of a run, read without owning it. Raises RUN_NOT_FOUND and STORE_* errors. */
export function readState(store: RunStore, run: string, options: RunStateOptions = {}): RunState {
  const journal = store.open(run, "read");
  try {
    return foldAll(run, journal.read(), options);
  } finally {
    journal.close();
  }
}

/** The state of a run, unless its journal is damaged: that must not hide the other runs. */
function readSound(store: RunStore, run: string): RunState | undefined {
  try {
    return readState(store, run);
  } catch (error) {
    if (error instanceof TroupeError && error.code.startsWith("STORE_")) return undefined;
    throw error;
  }
}

/** Who was first, for whoever is too late. */
function decidedBefore(
  store: RunStore,
  runs: readonly string[],
  given: string,
): TroupeError | undefined {
  const readable = runs.filter((run) => readHead(store, run) !== undefined);
  for (const run of readable.slice(0, MAX_SEARCHED_RUNS)) {
    const state = readSound(store, run);
    if (state === undefined) continue;
    const ids = [
      ...state.resolved.keys(),
      ...state.commands.map(({ command }) => itemOf(command)?.id),
    ];
    const id = ids.find((candidate) => candidate !== undefined && isNamed(candidate, given));
    const decided = id === undefined ? undefined : decisionOn(state, id);
    if (id !== undefined && decided !== undefined) return itemResolved({ id, ...decided });
  }
  return undefined;
}

function isNamed(id: string, given: string): boolean {
  // An empty variable of a script names nothing, least of all the only thing there is.
  if (given === "") return false;
  return id === given || id.startsWith(given) || id.endsWith(`_${given}`);
}

/** The newest run that is nobody's child, in a state if that is wanted: nobody has started children by himself. */
function newest(store: RunStore, ids: readonly string[], state?: RunStatus): readonly string[] {
  let other: string | undefined;
  for (const id of ids) {
    const head = readHead(store, id);
    // One that holds nothing yet may be a child that is about to begin.
    if (head?.parent !== null || (state !== undefined && head.state !== state)) continue;
    // A run that somebody has put here is not the one that this user has just seen.
    if (foreignReasonOf(store, id) === undefined) return [id];
    other ??= id;
  }
  if (other !== undefined) return [other];
  return state === undefined ? ids : [];
}

function first(ids: readonly string[], given: string, known: readonly string[]): string {
  const [id] = ids;
  if (id === undefined) throw runNotFound({ run: given, known });
  return id;
}

/** The state of a run without its messages, read without owning it. Raises RUN_NOT_FOUND and STORE_* errors. */
export function inspectRun(machine: Machine, id: string): RunState {
  return readState(machine.store, id, NO_MESSAGES);
}
