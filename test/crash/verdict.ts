import { expect } from "vitest";
import { type JournalEvent, toWireEvent } from "../../src/contracts/event.ts";
import { canonicalJson, isJsonArray, type Json, toJson } from "../../src/foundation/json.ts";
import type { Printed } from "./child-run.ts";
import type { LedgerEntry } from "./ledger.ts";
import type { Observation } from "./sandbox.ts";

/** What a process has shown is in the journal to the letter (ENG-5). */
export function expectShownIsDurable(printed: Printed, { run, events }: Observation): void {
  for (const shown of printed.events) {
    const kept = events[Number(shown["seq"]) - 1];
    expect(kept === undefined ? undefined : json(toWireEvent(run ?? "", kept))).toEqual(shown);
  }
}

/** Every effect that began was journaled before, under the key that it was given (I1, P2). */
export function expectEffectsAreExplained({ events, ledger }: Observation): void {
  for (const [key, entries] of byKey(ledger)) {
    const started = turnsStarted(events, key);
    expect([key, entries.filter(isStart).length <= started.length]).toEqual([key, true]);
    expect(started.map(({ attempt }) => attempt)).toEqual(started.map((_, index) => index + 1));
    for (const { step, attempt } of entries)
      for (const turn of started)
        expect([turn.step?.id, turn.step?.attempt]).toEqual([step, attempt]);
  }
}

/** Nothing that was in the journal is lost, and nothing that was completed is done again (P1). */
export function expectNothingRepeated(before: Observation, after: Observation): void {
  expect(after.events.slice(0, before.events.length)).toEqual(before.events);
  for (const op of settledOperations(before.events)) {
    const key = `${before.run}/${op}`;
    const of = ({ ledger }: Observation) => ledger.filter((entry) => entry.key === key);
    expect(of(after)).toEqual(of(before));
  }
}

/** The run is over, each operation has one outcome, and each completed step has left its mark. */
export function expectWholeRun({ run, events, ledger }: Observation): void {
  expect(events.at(-1)?.type).toBe("run-ended");
  expect(events.filter(({ type }) => type === "run-ended")).toHaveLength(1);
  const settled = settledOperations(events);
  expect(settled).toHaveLength(new Set(settled).size);
  expect(new Set(settled)).toEqual(new Set(scheduledOperations(events)));
  const keys = byKey(ledger);
  for (const [step, attempt] of EFFECTS) {
    const of = ledger.filter((entry) => entry.step === step && entry.attempt === attempt);
    const [first] = of;
    expect([step, new Set(of.map(({ key }) => key)).size]).toEqual([step, 1]);
    const entries = keys.get(first?.key ?? "") ?? [];
    const starts = entries.filter(isStart).length;
    // Only a step that was cut off may have begun twice.
    if (turnsStarted(events, first?.key ?? "").length === 1)
      expect([step, starts]).toEqual([step, 1]);
    const isFailedTry = step === "shaky" && attempt === 1;
    expect([step, entries.some(({ mark }) => mark === "end")]).toEqual([step, !isFailedTry]);
  }
  expect(keys.size).toBe(EFFECTS.length);
  expect(run).toBeDefined();
}

/** The result without what may differ between two runs: ids, places, times, the order of side branches. */
export function comparable(result: unknown): Json {
  return strip(json(result));
}

const EFFECTS = [
  ["left", 1],
  ["right", 1],
  ["shaky", 1],
  ["shaky", 2],
  ["check", 1],
  ["think", 1],
  ["polish", 1],
] as const;

const VOLATILE = new Set(["id", "seq", "timestamp", "durationMs"]);

function strip(value: Json): Json {
  if (isJsonArray(value))
    return value
      .map(strip)
      .toSorted((left, right) => (canonicalJson(left) < canonicalJson(right) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      VOLATILE.has(name) ? [] : [[name, strip(member)]],
    ),
  );
}

function json(value: unknown): Json {
  return toJson(value, "an observation");
}

function isStart({ mark }: LedgerEntry): boolean {
  return mark === "start";
}

function byKey(ledger: readonly LedgerEntry[]): ReadonlyMap<string, readonly LedgerEntry[]> {
  return Map.groupBy(ledger, ({ key }) => key);
}

function turnsStarted(events: readonly JournalEvent[], key: string) {
  return events
    .filter((event) => event.type === "turn-started")
    .filter((event) => event.key === key);
}

function settledOperations(events: readonly JournalEvent[]): readonly string[] {
  return events.filter((event) => event.type === "operation-settled").map(({ op }) => op);
}

function scheduledOperations(events: readonly JournalEvent[]): readonly string[] {
  return events.filter((event) => event.type === "operation-scheduled").map(({ op }) => op);
}
