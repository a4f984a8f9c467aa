import { expect } from "vitest";
import { type JournalEvent, toWireEvent } from "../../src/contracts/events/event.ts";
import type { StepAddress } from "../../src/contracts/step.ts";
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
  for (const [work, entries] of byWork(ledger)) {
    const started = turnsStarted(events, work);
    expect([work, entries.filter(isStart).length <= started.length]).toEqual([work, true]);
    expect(started.map(({ attempt }) => attempt)).toEqual(started.map((_, index) => index + 1));
    for (const { step } of entries) for (const turn of started) expect(turn.step?.id).toBe(step);
  }
}

/** Nothing that was in the journal is lost, and nothing that was completed is done again (P1). */
export function expectNothingRepeated(before: Observation, after: Observation): void {
  expect(after.events.slice(0, before.events.length)).toEqual(before.events);
  for (const op of settledOperations(before.events)) {
    const work = workOf(before.events, op);
    const of = ({ ledger }: Observation) => ledger.filter((entry) => workOfEntry(entry) === work);
    if (work !== undefined) expect(of(after)).toEqual(of(before));
  }
}

/** The run is over, each operation has one outcome, and each completed step has left its mark. */
export function expectWholeRun({ run, events, ledger }: Observation): void {
  expect(events.at(-1)?.type).toBe("run-ended");
  expect(events.filter(({ type }) => type === "run-ended")).toHaveLength(1);
  const settled = settledOperations(events);
  expect(settled).toHaveLength(new Set(settled).size);
  expect(new Set(settled)).toEqual(new Set(scheduledOperations(events)));
  const works = byWork(ledger);
  for (const [step, attempt] of EFFECTS) {
    // One execution of a step has one key, through retries and crashes alike (P2).
    const keys = ledger.filter((entry) => entry.step === step).map(({ key }) => key);
    expect([step, new Set(keys)]).toEqual([step, new Set([`${run}/${step}#1`])]);
    const work = `${step}#1@${attempt}`;
    const entries = works.get(work) ?? [];
    const starts = entries.filter(isStart).length;
    // Only a step that was cut off may have begun twice.
    if (turnsStarted(events, work).length === 1) expect([step, starts]).toEqual([step, 1]);
    const isFailedTry = step === "shaky" && attempt === 1;
    expect([step, entries.some(({ mark }) => mark === "end")]).toEqual([step, !isFailedTry]);
  }
  expect(works.size).toBe(EFFECTS.length);
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

/** Names one attempt of one execution of a step: `shaky#1@2`. */
function workOfEntry({ key, attempt }: LedgerEntry): string {
  return `${key.slice(key.indexOf("/") + 1)}@${attempt}`;
}

function byWork(ledger: readonly LedgerEntry[]): ReadonlyMap<string, readonly LedgerEntry[]> {
  return Map.groupBy(ledger, workOfEntry);
}

function turnsStarted(events: readonly JournalEvent[], work: string) {
  return events
    .filter((event) => event.type === "turn-started")
    .filter(({ step }) => step !== undefined && workOfStep(step) === work);
}

/** The work that an operation asked for, if it is a turn that began. */
function workOf(events: readonly JournalEvent[], op: string): string | undefined {
  const turn = events
    .filter((event) => event.type === "turn-started")
    .find(({ items }) => items.some((item) => item.kind === "prompt" && item.op === op));
  return turn?.step === undefined ? undefined : workOfStep(turn.step);
}

function workOfStep({ path, execution, attempt }: StepAddress): string {
  return `${path}#${execution}@${attempt}`;
}

function settledOperations(events: readonly JournalEvent[]): readonly string[] {
  return events.filter((event) => event.type === "operation-settled").map(({ op }) => op);
}

function scheduledOperations(events: readonly JournalEvent[]): readonly string[] {
  return events.filter((event) => event.type === "operation-scheduled").map(({ op }) => op);
}
