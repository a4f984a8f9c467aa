import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TurnCollector } from "../../src/agents/turn-collector.ts";
import { isJson, toJson } from "../../src/foundation/json.ts";
import { readAmount, readDelayMs, readNumber } from "../../src/foundation/outside-number.ts";
import { readBid } from "../../src/programs/primitives/auction-rules.ts";
import { parseDeposit } from "../../src/signals/signal-forms.ts";
import { runWorkflowInMemory } from "../../src/testing/run-workflow-in-memory.ts";
import { casesOf } from "../cases.ts";
import { agent, playedBackend, runAgents } from "./agents-run.ts";
import { readers, transcriptsOf } from "./backends/transcripts/readers.ts";

// Numbers that agents and their programs write, in whatever place a number may stand.

/** As they may be written in JSON and in text. */
const NUMBERS = ["1e999", "-1e999", "1e308", "-5", "9007199254740993", "-0", "1e-400"];
const written = fc.oneof(fc.constantFrom(...NUMBERS, "NaN", "Infinity"), fc.double().map(String));

test("a number from outside is finite and within 2^53, an amount is no less than 0, and a wait no more than a year [ENG-22.numbers]", () => {
  expect([...NUMBERS, "", " ", "NaN", "x", "1e3"].map(readNumber)).toEqual([
    ...[undefined, undefined, undefined, -5, undefined, 0, 0],
    ...[undefined, undefined, undefined, undefined, 1000],
  ]);
  const values = [Number.NaN, -Infinity, -1, "1", null, undefined];
  expect(values.map((value) => readAmount(value))).toEqual(values.map(() => undefined));
  const most = Number.MAX_SAFE_INTEGER;
  expect([1e300, Infinity].map((value) => readAmount(value))).toEqual([most, most]);
  expect(readAmount(5, 3)).toBe(3);
  const year = 366 * 86_400_000;
  expect([1e300, Infinity].map(readDelayMs)).toEqual([year, year]);
});

test("no BID and no DEPOSIT has a number that is not finite [ENG-22.numbers]", () => {
  fc.assert(
    fc.property(written, fc.string({ maxLength: 20 }), (number, text) => {
      const value = `[cost=${number}] ${text}`;
      const { cost, confidence } = readBid("a", { kind: "bid", value, by: "text" });
      expect(isJson([cost ?? null, confidence ?? null])).toBe(true);
      const deposit = parseDeposit(`key ${number}`);
      if ("amount" in deposit)
        expect(Math.abs(deposit.amount)).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
    }),
    { numRuns: casesOf(400) },
  );
});

test.each(["1e999", "1e308", "-1e999", "9007199254740993"])(
  "a bid of %s does not count, and the auction goes on [ENG-22.runs]",
  async (cost) => {
    const { outcome, result } = await runWorkflowInMemory(
      {
        ...{ pattern: "auction", agents: [{ id: "a" }, { id: "b" }] },
        ...{ turns: { maxAttempts: 1, retryDelayMs: 0 }, options: { bidBy: "cost" } },
      },
      {
        task: "mow",
        turns: {
          a: [{ say: `BID: [cost=${cost}] quickly` }, { say: "PASS" }],
          b: [{ say: "BID: [cost=3] slowly" }, { say: "DONE: mown" }],
        },
      },
    );
    expect([outcome, result]).toMatchObject(["completed", { metadata: { winner: "b", price: 3 } }]);
  },
);

describe.each(readers)("the reader of $folder", (entry) => {
  test("makes only events that can be stored of lines in which any number is another [ENG-22.events]", () => {
    for (const number of NUMBERS)
      for (const { name, bytes } of transcriptsOf(entry).slice(0, 2)) {
        const reader = entry.createReader();
        const collector = new TurnCollector("worker", 1, (usage) => usage);
        for (const line of `${bytes}`.split("\n")) {
          const changed = line.replaceAll(/(?<=[:,[]\s?)-?\d[\d.]*(?=[,\]}])/g, number);
          for (const update of reader.take(changed)) {
            const fact = collector.take(update);
            expect([name, number, fact, isJson(fact ?? null)]).toEqual([name, number, fact, true]);
          }
        }
        expect(isJson(collector.usage)).toBe(true);
      }
  });
});

/** What an agent may do in a turn: any text, call and usage. */
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const deed = fc.record({
  text: fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc
      .tuple(fc.constantFrom("BID", "DEPOSIT", "PROGRESS", "FITNESS", "DONE", "VOTE"), written)
      .map(
        ([marker, number]) => `${marker}: [cost=${number}] [confidence=${number}] key ${number}`,
      ),
  ),
  tool: fc.constantFrom("signal", "bid", "deposit", "channel_send", "vote", "", "no such tool"),
  input: fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.record({ key: fc.constant("key"), value: finite }),
    fc.record({ approach: fc.string({ minLength: 1 }), cost: finite, confidence: finite }),
    fc.record({ kind: fc.constantFrom("bid", "done"), value: fc.string(), confidence: finite }),
  ),
  usage: fc.record({ inputTokens: fc.double(), outputTokens: fc.double(), costUsd: fc.double() }),
});

test("whatever an agent says, calls and reports, its events can be stored and the run goes on [ENG-22.events, ENG-22.runs]", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 6 }), async (deeds) => {
      const backend = playedBackend(async function* ({ client }) {
        for (const { text, tool, input, usage } of deeds) {
          yield { type: "text-delta", text: `${text}\n` };
          yield { type: "usage", usage };
          await client.callTool(tool, toJson(input, "an input")).catch(() => {});
        }
        yield { type: "stop", reason: "end_turn" };
      });
      const run = runAgents(
        async (context) => {
          const { id } = await context.spawn(agent("worker"));
          await context.turn(id, "go").catch(() => {});
          return "went on";
        },
        { backend },
      );
      expect(await run.over()).toBe("went on");
      expect(run.events.filter((event) => !isJson(event))).toEqual([]);
    }),
    { numRuns: casesOf(40) },
  );
});
