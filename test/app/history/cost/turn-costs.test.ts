import fc from "fast-check";
import { expect, test } from "vitest";
import { spendingBy, sumOf } from "../../../../src/app/history/cost/spending.ts";
import { readTurns } from "../../../../src/app/history/cost/turn-costs.ts";
import { COST_DIMENSIONS } from "../../../../src/contracts/cost-dimension.ts";
import type { EventData } from "../../../../src/contracts/events/event.ts";
import { addUsage, type Usage } from "../../../../src/contracts/usage.ts";
import { foldAll } from "../../../../src/fold/fold.ts";
import { created, journal, started } from "../../../fold/journal-builder.ts";

// Amounts whose sums are exact in any order, so that what differs is a turn and not a digit.
const amount = fc.integer({ min: 0, max: 4096 }).map((number) => number / 1024);
const usage: fc.Arbitrary<Usage> = fc
  .record(
    {
      inputTokens: fc.nat(1000),
      outputTokens: fc.nat(1000),
      costUsd: amount,
      isEstimate: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .map(({ isEstimate = false, ...told }) =>
    isEstimate && told.costUsd !== undefined ? { ...told, estimatedUsd: told.costUsd } : told,
  );
const agent = fc.constantFrom("coder", "tester", "nobody");
const turn = fc.integer({ min: 1, max: 3 });
const at = fc.record({ agent, turn });

/** Starts and ends of turns in any order, also such as no owner would write. */
const anyEvent: fc.Arbitrary<EventData> = fc.oneof(
  at.map(({ agent: id, turn: number }) => begun(id, number)),
  fc
    .tuple(at, fc.constantFrom("plan", "all[0]/test"))
    .map(([{ agent: id, turn: number }, path]) => begun(id, number, path)),
  fc.tuple(at, usage).map(([where, used]): EventData => {
    const said = { text: "done", stopReason: "end_turn", signals: [] } as const;
    return { type: "turn-completed", ...where, ...said, usage: used };
  }),
  fc.tuple(at, fc.option(usage)).map(([where, used]): EventData => {
    const error = { code: "BACKEND_X", message: "broke" };
    return { type: "turn-failed", ...where, error, ...(used === null ? {} : { usage: used }) };
  }),
  fc
    .tuple(
      at,
      fc.constantFrom("owner-died", "suspended", "cancelled", "timed-out"),
      fc.option(usage),
    )
    .map(
      ([where, reason, used]): EventData => ({
        type: "turn-interrupted",
        ...where,
        reason,
        ...(used === null ? {} : { usage: used }),
      }),
    ),
);

const AGENTS: readonly EventData[] = [
  { ...spawn("coder"), untold: "unknown" },
  { ...spawn("tester", "gpt-9") },
];

function begun(agentId: string, number: number, path?: string): EventData {
  const step = path === undefined ? {} : { step: { id: "test", path, execution: 1, attempt: 1 } };
  const session = `${agentId}/main`;
  const place = { agent: agentId, turn: number, attempt: 1, session, key: "k", items: [] };
  return { type: "turn-started", ...place, ...step };
}

function spawn(id: string, model?: string): Extract<EventData, { type: "agent-spawned" }> {
  const spec = { id, backend: "played", ...(model === undefined ? {} : { model }) };
  return { type: "agent-spawned", agent: id, backend: "played", spec };
}

test("the sums by anything are exactly what the journal says was used, each turn once [AGT-15, LIM-1.turns]", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 60 }), (happened) => {
      const events = journal([created, started, ...AGENTS, ...happened]);
      const { turns } = readTurns("run_a", events);
      const state = foldAll("run_a", events);
      const total = sumOf(turns);
      expect(total).toEqual({
        usage: state.usage,
        turns: state.turnsEnded,
        unpricedTurns: state.unpricedTurns,
      });
      for (const dimension of COST_DIMENSIONS) {
        const rows = spendingBy(turns, dimension);
        expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
        expect(rows.reduce((sum: Usage, row) => addUsage(sum, row.usage), {})).toEqual(total.usage);
        expect(rows.reduce((sum, row) => sum + row.turns, 0)).toBe(total.turns);
        expect(rows.reduce((sum, row) => sum + row.unpricedTurns, 0)).toBe(total.unpricedTurns);
      }
    }),
    { numRuns: 200 },
  );
});

test("a turn that tells nothing cost nothing only where that is known [AGT-15]", () => {
  const ended = (id: string, used: Usage): EventData => {
    const said = { text: "", stopReason: "end_turn", signals: [] } as const;
    return { type: "turn-completed", agent: id, turn: 1, ...said, usage: used };
  };
  const unknown = (id: string, used: Usage) =>
    readTurns("run_a", journal([created, ...AGENTS, begun(id, 1), ended(id, used)])).turns.map(
      ({ isCostUnknown }) => isCostUnknown,
    );
  expect(unknown("coder", {})).toEqual([true]);
  expect(unknown("tester", {})).toEqual([false]);
  expect(unknown("tester", { inputTokens: 5 })).toEqual([true]);
  expect(unknown("tester", { inputTokens: 0, outputTokens: 0 })).toEqual([false]);
  expect(unknown("coder", { costUsd: 0 })).toEqual([false]);
});

test("a turn that is started again is one turn, and all that its starts used counts [LIM-1.turns, AGT-15]", () => {
  const usedOnce: EventData = {
    ...{ type: "turn-interrupted", agent: "tester", turn: 1, reason: "suspended" },
    usage: { costUsd: 0.25 },
  };
  const end: EventData = {
    ...{ type: "turn-completed", agent: "tester", turn: 1, text: "", stopReason: "end_turn" },
    ...{ signals: [], usage: { costUsd: 0.5 } },
  };
  const start = begun("tester", 1);
  const { turns } = readTurns("run_a", journal([created, ...AGENTS, start, usedOnce, start, end]));
  expect(spendingBy(turns, "turn")).toEqual([
    { name: "run_a tester#1", turns: 1, usage: { costUsd: 0.75 }, unpricedTurns: 0 },
  ]);
});
