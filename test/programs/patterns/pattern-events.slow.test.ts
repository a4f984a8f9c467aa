import { expect, test } from "vitest";
import { z } from "zod";
import type { JournalEvent } from "../../../src/contracts/events/event.ts";
import { builtInPatterns } from "../../../src/programs/patterns/registry.ts";
import { simulationOf } from "../../app/trial/simulations.ts";

const text = z.string();
const number = z.number();
const names = z.array(text);

// What is promised of each; more may stand beside it.
const PROMISED: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ["round", z.looseObject({ round: number, of: number, spoke: names, news: number })],
  [
    "vote",
    z.looseObject({ agent: text, vote: z.enum(["approve", "reject"]), changed: z.boolean() }),
  ],
  [
    "decision",
    z.looseObject({
      decision: text,
      approve: number,
      reject: number,
      cast: number,
      quorum: number,
    }),
  ],
  ["handoff", z.looseObject({ from: text, to: text, reason: text, by: text, left: number })],
  ["tier", z.looseObject({ tier: number, agent: text, confidence: number, accepted: z.boolean() })],
  ["verdict", z.looseObject({ winner: text.nullable(), judge: text.nullable() })],
  ["award", z.looseObject({ winner: text.nullable(), price: number.nullable() })],
  ["generation", z.looseObject({ generation: number, best: text.nullable() })],
  ["gossip", z.looseObject({ round: number, distinct: number })],
  [
    "iteration",
    z.looseObject({ done: number, of: number.nullable(), elapsedMs: number, tokens: number }),
  ],
]);
const SEEDS = [1, 2, 3, 4, 5, 6];

test("the moves of all patterns are events with what is promised of each kind [PAT-events, PAT-events-2.talk, PAT-events-2.choice, PAT-events-2.iteration]", async () => {
  const seen = new Set<string>();
  for (const { name } of builtInPatterns) {
    const simulation = await simulationOf(name);
    for (const seed of SEEDS) {
      const { played } = await simulation.run(seed);
      for (const { kind, data } of movesIn(played?.events ?? [])) {
        const read = PROMISED.get(kind)?.safeParse(data);
        expect(read?.error?.message, `${name}, seed ${seed}: ${kind}`).toBeUndefined();
        seen.add(kind);
      }
    }
  }
  expect([...PROMISED.keys()].filter((kind) => !seen.has(kind))).toEqual([]);
});

function movesIn(events: readonly JournalEvent[]) {
  return events.flatMap((event) => (event.type === "pattern-advanced" ? [event] : []));
}
