import { expect, test } from "vitest";
import type { StigmergySpec } from "../../../src/contracts/stigmergy.ts";
import { emptyRunState } from "../../../src/fold/state/run-state.ts";
import { renderTrail } from "../../../src/messaging/trails/trail-text.ts";

const rules: StigmergySpec = {
  namespace: "main",
  decayRate: 0,
  minThreshold: 0.01,
  reinforcement: "additive",
};
const how =
  "All of you leave marks for each other: a number at a key, by a line `DEPOSIT: <key> <number>`;";

/** What an agent is told of these deposits, a second after the last. */
function told(deposits: readonly string[], changed: Partial<StigmergySpec> = {}): string {
  const state = emptyRunState("run_a");
  for (const value of deposits) state.deposits.push({ agent: "a", turn: 1, at: 0, value });
  state.lastAt = 1000;
  return renderTrail(state, { ...rules, ...changed });
}

test("how to leave a mark is told with what becomes of it [PRM-stigmergy.run]", () => {
  expect(told([])).toBe(`${how} what is there already grows by it. There are none yet.`);
  expect(told([], { reinforcement: "multiplicative", decayRate: 0.25 })).toBe(
    `${how} what is there already is multiplied by it. They fade: 25% a second. There are none yet.`,
  );
  expect(told([], { reinforcement: "max" })).toContain("; the greater one stays.");
});

test("marks of this place are told, the strongest first, each quoted [PRM-stigmergy.run]", () => {
  const deposits = ["x 1", "y 3.14159", "[namespace=other] z 9", "[namespace=main] x 1", "none"];
  expect(told(deposits).split("\n")).toEqual([
    `${how} what is there already grows by it. The strongest now:`,
    "> y 3.142 (a)",
    "> x 2 (a)",
  ]);
  expect(told(["\u202ex 1"]).split("\n")[1]).toBe(String.raw`> \u{202e}x 1 (a)`);
  expect(told(["x 4"], { decayRate: 0.5 }).split("\n")[1]).toBe("> x 2 (a)");
});

test("fifty are told, and how many are left out [PRM-stigmergy.run]", () => {
  const deposits = Array.from({ length: 52 }, (_, index) => `k${index} ${index + 1}`);
  expect(told(deposits.slice(0, 50)).split("\n")).toHaveLength(51);
  const lines = told(deposits).split("\n");
  expect([lines.length, lines[1], lines.at(-1)]).toEqual([
    52,
    "> k51 52 (a)",
    "(2 weaker ones are left out)",
  ]);
});
