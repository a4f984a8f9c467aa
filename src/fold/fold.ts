import type { JournalEvent } from "../contracts/events/event.ts";
import { countRunningTime } from "./running-time.ts";
import { emptyRunState, type RunState, type RunStateOptions } from "./state/run-state.ts";
import { agentTable } from "./tables/agents.ts";
import { budgetTable } from "./tables/budget.ts";
import { childTable } from "./tables/children.ts";
import { collabTable } from "./tables/collab.ts";
import { commandTable } from "./tables/commands.ts";
import { documentTable } from "./tables/documents.ts";
import { applyTable, type FoldTable } from "./tables/fold-table.ts";
import { forkTable } from "./tables/fork.ts";
import { inboxTable } from "./tables/inbox.ts";
import { mailboxTable } from "./tables/mailboxes.ts";
import { messageTable } from "./tables/messages.ts";
import { operationTable } from "./tables/operations.ts";
import { requestTable } from "./tables/requests.ts";
import { runTable } from "./tables/run.ts";
import { stepTable } from "./tables/steps.ts";
import { turnTable } from "./tables/turns.ts";

// Mailboxes come before messages: a message that is known already must not be queued again.
// Endings of agents come before mailboxes: a turn whose messages are taken again has not come to its end.
// Budgets come before messages, agents and turns for the same reason, and because they ask which step a turn serves.
// The inbox comes before turns and operations: it asks them what an item belongs to before they forget it.
const TABLES: readonly FoldTable[] = [
  runTable,
  budgetTable,
  collabTable,
  mailboxTable,
  messageTable,
  documentTable,
  inboxTable,
  requestTable,
  operationTable,
  childTable,
  agentTable,
  turnTable,
  stepTable,
  commandTable,
  forkTable,
];

const TABLES_BY_TYPE: ReadonlyMap<string, readonly FoldTable[]> = new Map(
  [...new Set(TABLES.flatMap((table) => Object.keys(table)))].map((type) => [
    type,
    TABLES.filter((table) => Object.hasOwn(table, type)),
  ]),
);

const NO_TABLES: readonly FoldTable[] = [];

/**
 * Moves the state on by one event and returns the same object, changed in place: the cost of an event
 * does not depend on the length of the run. Snapshots are made with `structuredClone`. Event types that
 * are not known leave everything but `lastSeq`, `lastAt` and the running time as it was.
 */
export function fold(state: RunState, event: JournalEvent): RunState {
  countRunningTime(state, event);
  for (const table of TABLES_BY_TYPE.get(event.type) ?? NO_TABLES) applyTable(table, state, event);
  state.lastSeq = event.seq;
  state.lastAt = event.at;
  return state;
}

/** The state after all events of a journal, or of its first part. */
export function foldAll(
  runId: string,
  events: Iterable<JournalEvent>,
  options: RunStateOptions = {},
): RunState {
  const state = emptyRunState(runId, options);
  for (const event of events) fold(state, event);
  return state;
}
