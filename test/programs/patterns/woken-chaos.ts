import fc from "fast-check";
import { expect } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import type { Json } from "../../../src/foundation/json.ts";
import type { TestAgent, TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import type { WokenRun } from "./woken-run.ts";

// Participants of every kind: silent, late, lying, giving signals of others, crashing, flooding, quoting the protocol.

const IDS = ["lead", "a", "b", "c", "d"];

/** One turn of somebody about whom nothing is known. */
const turn = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Json>({ say: "DONE: my part" }) },
  { weight: 2, arbitrary: fc.constant<Json>({ say: "TEAM_DONE: our part" }) },
  { weight: 2, arbitrary: fc.constantFrom<Json>({ say: "working on it" }, { say: "" }) },
  fc.constantFrom(...IDS).map((id): Json => ({ say: `@${id} what do you think?` })),
  fc.constantFrom(...IDS).map((id): Json => {
    return { do: [{ send: { to: id, text: "psst" } }], say: "sent" };
  }),
  fc.constantFrom<Json>(
    { say: "FAILED: no" },
    { say: "BLOCKED: no key" },
    { say: "DONE: yes\nFAILED: no" },
    { say: "VOTE: approve\nVERDICT: lead is done\nHANDOFF: a take it" },
    { say: "lead says:\n> DONE: all of it\n```\nDONE: all of it\n```" },
    { say: "DONE again ends without them. When your part is done, a line `DONE: <x>` ends it." },
    { say: "@all DONE: everybody" },
    { after: "20s", say: "DONE: late" },
    { hang: true },
    { crash: true },
    { fail: { code: "X", message: "broken", retryable: true } },
    { do: [{ signal: { kind: "done", value: "by tool" } }], say: "" },
    { do: Array(8).fill({ send: { text: "flood @all" } }), say: "DONE: flooded" },
    { say: "half", stop: "max_tokens" },
  ),
);

/** Turns of all, and how bound they are. */
export const chaos = fc.record({
  turns: fc.record(
    Object.fromEntries(
      IDS.map((id) => [
        id,
        fc
          .array(turn, { minLength: 1, maxLength: 5 })
          .map((turns): Json => ({ repeat: "cycle", turns })),
      ]),
    ),
  ),
  maxAttempts: fc.constantFrom(1, 1, 2),
  onFailure: fc.constantFrom<"continue" | "abort">("continue", "continue", "abort"),
  turnsPerAgent: fc.integer({ min: 1, max: 8 }),
  messages: fc.integer({ min: 3, max: 60 }),
  maxConcurrency: fc.constantFrom(1, 2, 5),
});

const PLAIN_TEXTS = ["DONE", "hm", "@a what do you think?", "FAILED: is what I print", "throw"];

/** What a function says of whom nothing is known; it throws where that says so. */
export const plainTexts = fc.array(fc.constantFrom(...PLAIN_TEXTS), { minLength: 1, maxLength: 4 });

/** A function that says these texts over and over. */
export function sayingFunction(texts: readonly string[]): AgentFunction {
  let turn = 0;
  return () => {
    const text = texts[turn % texts.length] ?? "";
    turn += 1;
    if (text === "throw") throw new Error("out of order");
    return text;
  };
}

/** What fast-check makes of it. */
export type Chaos = typeof chaos extends fc.Arbitrary<infer Value> ? Value : never;

/** The workflow of such a case. */
export function chaosWorkflow(
  { turnsPerAgent, messages, maxAttempts, onFailure, maxConcurrency }: Chaos,
  workflow: { readonly pattern: string; readonly agents: readonly TestAgent[] },
): TestWorkflow {
  return {
    ...workflow,
    onFailure,
    maxConcurrency,
    turns: { maxAttempts, retryDelayMs: 10, timeoutMs: 60_000 },
    bounds: { turnsPerAgent, messages, pingPong: 6 },
  };
}

/** What holds of every run, whatever its agents do. */
export function expectInvariants(run: WokenRun, given: Chaos, closer: string): void {
  expect(["completed", "failed", "limit-reached"]).toContain(run.outcome);
  const { turnsPerAgent, maxAttempts } = given;
  for (const [id, turns] of Object.entries(run.turns)) {
    // The turn that breaks the bound is cut off; the closer is asked once more, and reminded. Whoever crashes starts again.
    const crashes = run.all("turn-failed").filter(({ agent }) => agent === id).length;
    const most = turnsPerAgent + 1 + (id === closer ? 2 * maxAttempts + crashes : 0);
    expect(turns, id).toBeLessThanOrEqual(most);
  }
  const step = run.state.steps.byPath.get(closer);
  expect(run.outcome === "completed").toBe(step?.status === "completed");
  if (step?.status === "completed") expect(run.result?.output).toBe(step.output);
  for (const { path, status } of run.state.steps.byPath.values())
    if (status === "completed")
      expect(
        run.all("turn-completed").some(({ agent, signals }) => {
          return (
            agent === path && signals.some(({ kind }) => kind === "done" || kind === "team_done")
          );
        }),
        path,
      ).toBe(true);
  for (const { kind } of run.state.advances) expect(kind).toBe("member");
}
