import fc from "fast-check";
import { expect, test } from "vitest";
import type { EventData, JournalEvent } from "../../src/contracts/events/event.ts";
import { fold, foldAll } from "../../src/fold/fold.ts";
import { pendingMessages } from "../../src/fold/message-reading.ts";
import { isKnownMessage } from "../../src/fold/state/message-source.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../src/fold/state/run-state.ts";
import {
  approvalRequested,
  created,
  journal,
  permissionRequested,
  permissionResolved,
  posted,
  scheduled,
  settled,
  spawned,
  started,
  turnCompleted,
  turnFailed,
  turnStarted,
} from "./journal-builder.ts";

const agents = ["coder", "tester"] as const;
const agent = fc.constantFrom(...agents);
const number = fc.integer({ min: 1, max: 2 });
const ids = (prefix: string) => number.map((each) => `${prefix}${each}`);
const reason = fc.constantFrom("owner-died", "suspended", "cancelled", "timed-out");

/** Any event at any moment: the fold must hold its laws even for journals that no owner would write. */
const anyEvent: fc.Arbitrary<EventData> = fc.oneof(
  fc.tuple(agent, fc.constantFrom("keep", "fresh")).map(([id, session]) => spawned(id, session)),
  fc.integer({ min: 1, max: 30 }).chain((id) => agent.map((to) => posted(`m${id}`, [to]))),
  fc
    .record({
      agent,
      turn: number,
      messages: fc.array(ids("m"), { maxLength: 3 }),
      op: ids("turn#"),
    })
    .map(({ agent: id, turn, messages, op }) => turnStarted(id, turn, { messages, ops: [op] })),
  fc.tuple(agent, number).map(([id, turn]) => turnCompleted(id, turn)),
  fc.tuple(agent, number).map(([id, turn]) => turnFailed(id, turn)),
  fc
    .tuple(agent, number, reason)
    .map(
      ([id, turn, why]): EventData => ({ type: "turn-interrupted", agent: id, turn, reason: why }),
    ),
  fc
    .tuple(agent, fc.array(ids("m"), { maxLength: 2 }))
    .map(([id, acked]): EventData => ({ type: "message-acked", agent: id, ids: acked })),
  fc.tuple(ids("turn#"), agent).map(([op, id]) => scheduled(op, "turn", id)),
  ids("approval#").map((op) => scheduled(op, "approval")),
  fc.tuple(ids("apr_"), ids("approval#")).map(([id, op]) => approvalRequested(id, op)),
  fc.oneof(ids("turn#"), ids("approval#")).map(settled),
  fc
    .tuple(ids("prm_"), agent, number)
    .map(([id, name, turn]) => permissionRequested(id, name, turn)),
  ids("prm_").map(permissionResolved),
  fc.tuple(agent, number).map(
    ([id, turn]): EventData => ({
      type: "budget-reserved",
      reservation: `${id}#${turn}@1`,
      agent: id,
      turn,
      amounts: { cost: 1, turns: 1 },
    }),
  ),
  fc.tuple(agent, number).map(
    ([id, turn]): EventData => ({
      type: "budget-settled",
      reservation: `${id}#${turn}@1`,
      agent: id,
      turn,
      amounts: { cost: 1, turns: 1 },
      workedMs: 5,
    }),
  ),
  fc.constantFrom<EventData>(
    { type: "run-resumed", epoch: 2 },
    { type: "run-suspended", reason: "waiting", waitingFor: [], exitCode: 3 },
    { type: "command-received", command: { kind: "pause" }, by: "user" },
  ),
);

const anyJournal = fc
  .array(anyEvent, { maxLength: 80 })
  .map((events) => journal([created, started, ...agents.map((id) => spawned(id)), ...events]));

test("a snapshot in the middle of a journal leads to the same state as reading it all", () => {
  fc.assert(
    fc.property(anyJournal, fc.nat(), (events, cut) => {
      const at = cut % events.length;
      const snapshot = structuredClone(foldAll("run_a", events.slice(0, at)));
      for (const event of events.slice(at)) fold(snapshot, event);
      expect(snapshot).toEqual(foldAll("run_a", events));
    }),
  );
});

test("the counters of activity equal a count of what is open, after every event", () => {
  fc.assert(
    fc.property(anyJournal, (events) => {
      const state = emptyRunState("run_a");
      for (const event of events) {
        fold(state, event);
        expect(state.activity).toEqual(countActivity(state));
      }
    }),
  );
});

test("whoever wants no messages finds everything else as it is [P10]", () => {
  fc.assert(
    fc.property(anyJournal, (events) => {
      const { messages, ...rest } = foldAll("run_a", events);
      const { messages: none, ...bare } = foldAll("run_a", events, NO_MESSAGES);
      expect(bare).toEqual(rest);
      expect(none.recent.length).toBeLessThanOrEqual(1);
      expect([none.writtenAt, none.bodies]).toEqual([messages.writtenAt, messages.bodies]);
    }),
  );
});

test("mailboxes lose nothing, keep the order of the journal and never take back an ack [MSG-3]", () => {
  fc.assert(
    fc.property(anyJournal, (events) => {
      const state = emptyRunState("run_a");
      const gone = new Set<string>();
      for (const event of events) {
        fold(state, event);
        for (const id of agents) assertMailbox(state, id, gone);
        if (event.type === "message-acked")
          for (const id of event.ids)
            if (isKnownMessage(state, id)) gone.add(`${event.agent}/${id}`);
      }
      expect(deliveredOrOpen(state, events)).toEqual([]);
    }),
  );
});

function assertMailbox(state: RunState, id: string, gone: ReadonlySet<string>): void {
  const mailbox = state.mailboxes.get(id);
  const items = [...(mailbox?.items.values() ?? [])];
  const seqs = items.map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((left, right) => left - right));
  expect(mailbox?.pending ?? 0).toBe(items.filter(({ turn }) => turn === undefined).length);
  const waking = items.filter(({ turn, wakes }) => turn === undefined && wakes);
  expect(mailbox?.waking ?? 0).toBe(waking.length);
  for (const { message } of pendingMessages({ state }, id))
    expect(gone.has(`${id}/${message.id}`)).toBe(false);
}

/** Messages that vanished from a mailbox though no ack and no good end of a turn names them. */
function deliveredOrOpen(state: RunState, events: readonly JournalEvent[]): readonly string[] {
  const mayBeGone = new Set<string>();
  for (const event of events) {
    if (event.type === "message-acked")
      for (const id of event.ids) mayBeGone.add(`${event.agent}/${id}`);
    if (event.type === "turn-started")
      for (const item of event.items)
        if (item.kind === "message") mayBeGone.add(`${event.agent}/${item.id}`);
  }
  return state.messages.recent
    .flatMap(({ id, to = [] }) => to.map((name) => ({ id, name })))
    .filter(({ id, name }) => state.mailboxes.get(name)?.items.has(id) !== true)
    .map(({ id, name }) => `${name}/${id}`)
    .filter((key) => !mayBeGone.has(key));
}

function countActivity(state: RunState): RunState["activity"] {
  const open = [...state.operations.open.values()];
  const all = [...state.agents.values()];
  const turns = all.flatMap((each) => [...each.turns.values()]);
  const isWaiting = (id: string, turn: number | undefined) =>
    [...(state.agents.get(id)?.turns.values() ?? [])].some(
      (each) => each.asks.size > 0 && (turn === undefined || each.turn === turn),
    );
  const blocked = open.filter(({ kind, agent: id, turn }) => {
    if (kind !== "turn" || id === undefined) return false;
    const keepsSession = state.agents.get(id)?.spec.session === "keep";
    return (turn !== undefined || keepsSession) && isWaiting(id, turn);
  });
  return {
    work: open.filter(({ kind }) => kind === "turn").length,
    blockedPrompts: blocked.length,
    blockedChildren: [...state.children.values()].filter(({ isBlocked }) => isBlocked).length,
    runningTurns: turns.length,
    waitingTurns: turns.filter(({ asks }) => asks.size > 0).length,
  };
}
