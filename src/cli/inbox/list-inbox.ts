import type { Machine } from "../../app/machine/machine.ts";
import { inFamilies, rootOf } from "../../app/runs/families/run-families.ts";
import type { RunListing } from "../../app/runs/run-heads.ts";
import { findWaitingItem, readState, waitsNoMore } from "../../app/runs/run-lookup.ts";
import type { WaitingItem } from "../../contracts/run.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { findItem, waitingItems } from "../../fold/waiting.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import type { Json } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";

/** Something that waits for a person, as `inbox --json` prints it. */
export interface InboxEntry {
  readonly id: string;
  readonly kind: WaitingItem["kind"];
  /** The run to watch and to resume: the one at the top of the tree. */
  readonly run: string;
  /** The child run that asks; absent when the run itself does. */
  readonly child?: string;
  readonly workflow: string;
  readonly instance: string;
  readonly step: string | null;
  readonly agent: string | null;
  readonly text: string;
  /** ISO times. */
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** Of an approval: what is to be approved, if it shows anything, and the hash that a decision is bound to. */
  readonly show?: Json;
  readonly hash?: string;
  /** Of a permission: what the agent wants to call, whole. */
  readonly tool?: string;
  readonly input?: Json;
  /** Of a permission whose call was allowed before the agent was interrupted: what is known of that. */
  readonly known?: string;
  /** Of a question: id of the message that asks, if one does. */
  readonly message?: string;
}

/** All that waits for people in the runs of a listing, oldest first. Only runs that wait are read. */
export function listInbox(
  { store }: Pick<Machine, "store">,
  runs: readonly RunListing[],
): readonly InboxEntry[] {
  const waiting = inFamilies(runs).filter(({ needs }) => needs > 0);
  const entries = waiting.flatMap(({ run, root }) => {
    const state = readState(store, run);
    return ownItems(state).map((item) => toEntry(item, state, root));
  });
  return entries.sort((left, right) => (left.createdAt < right.createdAt ? -1 : 1));
}

/** One thing that waits. Raises RUN_ITEM_NOT_FOUND, RUN_ITEM_AMBIGUOUS, ENGINE_ITEM_RESOLVED. */
export function findEntry({ store }: Pick<Machine, "store">, given: string): InboxEntry {
  const { run, id, kind } = findWaitingItem(store, given);
  const state = readState(store, run);
  const waiting = ownItems(state).find((item) => item.id === id && item.kind === kind);
  if (waiting !== undefined) return toEntry(waiting, state, rootOf(store, run));
  // Somebody else was quicker since it was found.
  throw waitsNoMore(state, id);
}

/** What a run itself asks: its children say better what they ask. */
function ownItems(state: RunState): readonly WaitingItem[] {
  return waitingItems(state).filter(({ run }) => run === undefined);
}

/** An open item of a run with all that a person has to see of it. */
export function toEntry(
  waiting: WaitingItem,
  state: RunState,
  root: string = state.run.id,
): InboxEntry {
  const { id, kind, text, step, agent } = waiting;
  const item = findItem(state, id);
  return {
    id,
    kind,
    run: root,
    ...(root === state.run.id ? {} : { child: state.run.id }),
    workflow: state.run.workflow,
    instance: state.run.instance,
    step: step ?? null,
    agent: agent ?? null,
    text,
    createdAt: toIsoTime(item?.createdAt ?? state.lastAt),
    expiresAt: item === undefined || item.kind === "question" ? null : (item.expiresAt ?? null),
    ...detailsOf(item),
  };
}

function detailsOf(
  item: InboxItem | undefined,
): Pick<InboxEntry, "show" | "hash" | "tool" | "input" | "known" | "message"> {
  switch (item?.kind) {
    case undefined:
      return {};
    case "approval":
      return { ...(item.show === undefined ? {} : { show: item.show }), hash: item.hash };
    case "permission":
      return { tool: item.tool, input: item.input, ...present({ known: item.known }) };
    case "question":
      return item.message === undefined ? {} : { message: item.message };
  }
}
