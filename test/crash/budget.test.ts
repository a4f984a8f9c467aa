import { expect, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { foldAll } from "../../src/fold/fold.ts";
import { casesOf } from "../cases.ts";
import { BUDGET_AGENTS, BUDGET_STEPS, TURN_COST } from "./budget-workflow.ts";
import { runChild, startChild } from "./child-run.ts";
import { say, seedOf } from "./report.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";
import { expectShownIsDurable } from "./verdict.ts";

const WIDTH = 2;
const KILLS = casesOf(16);
const LIMIT = 0.8;
/** Enough events that the run has its agents, and fewer than it needs to reach its limit. */
const FIRST_EVENTS = 25;
const MORE_EVENTS = 50;

test("a run killed at random times counts each turn once and stays at its limit until it gets more [LIM-1.turns, P17, T14]", async () => {
  const random = seedOf("budget kills");
  const moments = Array.from({ length: KILLS }, () => [
    FIRST_EVENTS + Math.floor(random() * MORE_EVENTS),
    Math.floor(random() * MORE_EVENTS),
  ]);
  const leftOpen = await sideBySide(moments, WIDTH, async ([first = 0, second = 0]) => {
    try {
      return await killTwice(first, second);
    } catch (cause) {
      throw new Error(`after kills at events ${first} and ${second} more`, { cause });
    }
  });
  const open = leftOpen.filter((count) => count > 0).length;
  say(`budget: ${KILLS} runs killed twice; ${open} of them with reservations open`);
  // A suite whose kills miss proves nothing.
  expect(open).toBeGreaterThan(0);
});

/** Kills a run and the process that resumes it, lets it reach its limit, then lets it end with a higher one. */
async function killTwice(first: number, second: number): Promise<number> {
  const sandbox = createSandbox();
  await killAfter(sandbox, { action: "start-budget", maxCost: LIMIT }, first);
  const leftByFirst = openReservations(observe(sandbox).events).length;
  await killAfter(sandbox, { action: "resume" }, second);
  const leftBySecond = openReservations(observe(sandbox).events).length;
  const stopped = await runChild(sandbox, { action: "resume" });
  expect(stopped).toMatchObject({ exitCode: 0, signal: null, error: undefined });
  expectShownIsDurable(stopped, observe(sandbox));
  expectAtLimit(observe(sandbox).events);
  const done = await runChild(sandbox, { action: "resume", maxCost: 100 });
  expect(done).toMatchObject({ exitCode: 0, signal: null, error: undefined });
  expectCountedOnce(observe(sandbox).events);
  await sandbox.remove();
  return leftByFirst + leftBySecond;
}

async function killAfter(
  sandbox: Sandbox,
  order: Parameters<typeof startChild>[1],
  events: number,
): Promise<void> {
  const child = startChild(sandbox, order);
  await Promise.race([child.hasShown(events), child.gone]);
  child.kill("SIGKILL");
  await child.gone;
}

/** The run has stopped resumably, beyond its limit by one turn of each agent at most. */
function expectAtLimit(events: readonly JournalEvent[]): void {
  expect(events.at(-1)).toMatchObject({
    type: "run-ended",
    outcome: "limit-reached",
    resumable: true,
    error: { code: "LIMIT_COST" },
  });
  const { run, reservations } = foldAll("run", events).budget;
  expect(reservations.size).toBe(0);
  expect(run.cost).toBeGreaterThanOrEqual(LIMIT - 1e-9);
  expect(run.cost).toBeLessThanOrEqual(LIMIT + BUDGET_AGENTS * TURN_COST + 1e-9);
}

/** Every reservation has one end; what they add up to is what the turns told and what nobody could know. */
function expectCountedOnce(events: readonly JournalEvent[]): void {
  expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "completed" });
  const reserved = events.filter((event) => event.type === "budget-reserved");
  const settled = events.filter((event) => event.type === "budget-settled");
  expect(settled.map(({ reservation }) => reservation).toSorted()).toEqual(
    reserved.map(({ reservation }) => reservation).toSorted(),
  );
  const state = foldAll("run", events);
  const assumed = sumOf(settled.map((event) => event.assumed?.cost ?? 0));
  expect(sumOf(settled.map(({ amounts }) => amounts.cost ?? 0))).toBeCloseTo(state.budget.run.cost);
  expect(state.budget.run.cost).toBeCloseTo((state.usage.costUsd ?? 0) + assumed);
  expect(state.budget.run.turns).toBe(BUDGET_AGENTS * BUDGET_STEPS);
  expect(events.filter(({ type }) => type === "turn-completed")).toHaveLength(
    BUDGET_AGENTS * BUDGET_STEPS,
  );
}

function openReservations(events: readonly JournalEvent[]): readonly string[] {
  return [...foldAll("run", events).budget.reservations.keys()];
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
