import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import { auctionPattern } from "../../../src/programs/patterns/auction.ts";
import {
  defineTestWorkflow,
  type TestWorkflow,
} from "../../../src/testing/define-test-workflow.ts";
import { createManualClock } from "../../../src/testing/manual-clock.ts";
import { runWorkflowInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };

type Options = { readonly [key: string]: Json };

function auction(options: Options, ids: readonly string[]): TestWorkflow {
  return { pattern: "auction", agents: ids.map((id) => ({ id })), turns, options };
}

function held(options: Options, said: Options) {
  return runWorkflowInMemory(auction(options, Object.keys(said)), { task: "mow", turns: said });
}

function endOf({ events }: FinishedRun) {
  const end = events.findLast((event) => event.type === "run-ended");
  return { outcome: end?.outcome, reason: end?.reason };
}

const bids = (text: string) => ({ say: `BID: ${text}` });
const does = (text: string) => ({ expect: "the task is yours", say: `DONE: ${text}` });

test("a sealed auction asks each once, unseen by the others, and the best bidder does the task [PRM-auction.sealed, PRM-files-2.auction, PRM-files-2.auction-types, PRM-files-2.auction-winner]", async () => {
  const run = await held(
    {},
    {
      a: [bids("[confidence=0.5] [cost=3] slowly")],
      b: [
        { expect: "nobody sees your bid", ...bids("[confidence=0.9] [cost=7] [time=10m] fast") },
        does("mown"),
      ],
      c: [{ say: "PASS" }],
    },
  );
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({
    output: "mown",
    metadata: {
      ...{ type: "sealed", bidBy: "confidence", winner: "b", price: 0.9, rounds: 1 },
      bids: [
        { agent: "a", confidence: 0.5, cost: 3, approach: "slowly" },
        { agent: "b", confidence: 0.9, cost: 7, time: "10m", approach: "fast" },
      ],
    },
  });
  const told = run.events.flatMap((event) =>
    event.type === "message-posted" ? [event.from, event.text] : [],
  );
  expect(told.filter((text) => text.includes("slowly"))).toEqual([]);
});

test("a vickrey auction by cost gives the task to the cheapest at the second cost, below the reserve [PRM-auction.vickrey, PRM-files-2.auction-types]", async () => {
  const run = await held(
    { type: "vickrey", bidBy: "cost", reservePrice: 9 },
    {
      a: [bids("[cost=5] x")],
      b: [{ expect: "nobody sees your bid", ...bids("[cost=3] y") }, does("b")],
      c: [bids("[cost=1e9] z")],
    },
  );
  expect(run.result).toMatchObject({ output: "b", metadata: { winner: "b", price: 5 } });
});

test("of equal bids the earliest wins [PRM-auction.sealed]", async () => {
  // Asked once more, because it did not bid at first.
  const late = [{ say: "hm" }, bids("[confidence=0.5] late")];
  const run = await held({}, { a: late, b: [bids("[confidence=0.5] early"), does("b")] });
  expect(run.result?.metadata).toMatchObject({ winner: "b" });
});

test("an open auction tells the best bid, asks all others again, and ends when nobody has a better one [PRM-auction.open, PRM-files-2.auction-types]", async () => {
  const run = await held(
    { type: "open", rounds: 5 },
    {
      a: [
        bids("[confidence=0.5] x"),
        { expect: "The best bid has a confidence of 0.6", ...bids("[confidence=0.8] x") },
        does("a"),
      ],
      b: [
        bids("[confidence=0.6] y"),
        { expect: "a confidence of 0.8", ...bids("[confidence=0.7] y") },
      ],
    },
  );
  expect(run.result).toMatchObject({
    output: "a",
    metadata: { winner: "a", price: 0.8, rounds: 3 },
  });
  const bounded = await held(
    { type: "open", rounds: 1 },
    { a: [bids("[confidence=0.5] x")], b: [bids("[confidence=0.6] y"), does("b")] },
  );
  expect(bounded.result?.metadata).toMatchObject({ winner: "b", rounds: 1 });
});

test("in a dutch auction the price falls, and the first bid takes it and cuts off the others [PRM-auction.dutch, PRM-files-2.auction-types]", async () => {
  const slow = [{ say: "PASS" }, { hang: true }];
  const run = await held(
    { type: "dutch", startPrice: 0.9, step: 0.2, reservePrice: 0.5, biddingTimeout: "1h" },
    { a: slow, b: [{ say: "PASS" }, { expect: "The price is 0.7", ...bids("mine") }, does("b")] },
  );
  expect(run.result).toMatchObject({
    output: "b",
    metadata: { type: "dutch", winner: "b", price: 0.7, rounds: 2 },
  });
});

test.each([
  [{ type: "dutch", startPrice: 0.6, step: 0.2, reservePrice: 0.4 }, "nobody bid", 2],
  [{ type: "sealed" }, "nobody bid", 1],
  [{ type: "open" }, "nobody bid", 1],
] as const)(
  "no bid is an outcome: %o completes without a winner [PRM-auction.none, PRM-files-2.auction-winner]",
  async (options, reason, rounds) => {
    const run = await held(options, {
      a: [{ say: "PASS" }, { say: "PASS" }],
      b: [{ say: "PASS" }, { say: "PASS" }],
    });
    expect(endOf(run)).toEqual({ outcome: "completed", reason });
    expect(run.result).toMatchObject({
      output: "",
      metadata: { winner: null, price: null, rounds },
    });
  },
);

test("bids beyond the reserve, and bids without what they are ranked by, win nothing [PRM-auction.none]", async () => {
  const run = await held(
    { bidBy: "cost", reservePrice: 2 },
    { a: [bids("[cost=3] dear")], b: [bids("[confidence=1] free")] },
  );
  expect(endOf(run)).toEqual({ outcome: "completed", reason: "no bid could win" });
  expect(run.result?.metadata).toMatchObject({
    winner: null,
    bids: [{ agent: "a" }, { agent: "b" }],
  });
});

test("a bid that comes after its time does not count [PRM-auction.sealed, PRM-files-2.auction]", async () => {
  const clock = createManualClock();
  const started = await startInMemory(auction({}, ["a", "b"]), {
    clock,
    task: "mow",
    turns: { a: [{ hang: true }], b: [bids("[confidence=0.1] in time"), does("b")] },
  });
  await started.event("step-completed", ({ step }) => step === "b");
  const over = started.over();
  await clock.advance(119_000);
  expect(started.run.state.phase.status).toBe("running");
  await clock.advance(1000);
  const run = await over;
  expect(run.result).toMatchObject({ output: "b", metadata: { bids: [{ agent: "b" }] } });
});

test("a bidder that fails is out; without any bidder, and with a winner that fails, the run has failed [PRM-auction.none, PRM-files-2.auction-winner]", async () => {
  const one = await held(
    {},
    { a: [{ say: "FAILED: ill" }], b: [bids("[confidence=0.3] x"), does("b")] },
  );
  expect(one.result?.metadata).toMatchObject({ winner: "b" });
  const none = await held({}, { a: [{ say: "FAILED: ill" }], b: [{ say: "FAILED: ill" }] });
  expect(endOf(none)).toEqual({
    outcome: "failed",
    reason: expect.stringMatching(/^no bidder is left/),
  });
  const lost = await held({}, { a: [bids("[confidence=0.3] x"), { say: "FAILED: too hard" }] });
  expect(endOf(lost)).toEqual({
    outcome: "failed",
    reason: expect.stringMatching(/^a won and could not do it/),
  });
  expect(lost.result?.metadata).toMatchObject({ winner: "a", price: 0.3 });
  const vague = { say: "I have looked at it" };
  const undone = await held({}, { a: [bids("[confidence=0.3] x"), vague, vague] });
  expect(endOf(undone)).toEqual({
    outcome: "failed",
    reason: expect.stringMatching(/^a won and could not do it/),
  });
});

test("only the named bidders are asked, whatever else takes part [PRM-auction.sealed, PRM-files-2.auction]", async () => {
  const run = await held(
    { bidders: ["b"] },
    {
      a: [{ fail: { code: "TEST_ASKED" } }],
      b: [{ expect: "mow", ...bids("[confidence=0.3] x") }, does("b")],
    },
  );
  expect(run.result?.output).toBe("b");
});

test("bidders bid by a tool of their own as well as in words; nobody else is offered it [PRM-auction.evaluator, PRM-files-2.tools, PRM-files-2.answers]", async () => {
  const call = (input: Json) => ({ call: { tool: "bid", arguments: input } });
  const run = await held(
    { bidders: ["a", "b"] },
    {
      a: [
        {
          do: [
            call({ approach: "no" }),
            call({ approach: "x", confidence: 0.7, cost: 2, time: "1h" }),
          ],
          say: "I have bid",
        },
        does("by a"),
      ],
      b: [{ do: [call({ approach: "y", confidence: 2 })], ...bids("[confidence=0.6] y") }],
    },
  );
  expect(run.result).toMatchObject({
    output: "by a",
    metadata: {
      winner: "a",
      bids: expect.arrayContaining([
        expect.objectContaining({
          agent: "a",
          confidence: 0.7,
          cost: 2,
          time: "1h",
          approach: "x",
        }),
      ]),
    },
  });
  expect(run.all("tool-returned").map(({ result }) => result)).toContain('{"counted":true}');
  const refused = run.events.flatMap((event) =>
    event.type === "tool-returned" && event.isError ? [event.agent] : [],
  );
  expect(refused).toEqual(["b"]);
});

test("an open auction has five rounds unless its block says otherwise [PRM-files-2.auction]", () => {
  const most = (options: Options) =>
    auctionPattern.turns?.(defineTestWorkflow(auction({ type: "open", ...options }, ["a", "b"])))
      .most;
  expect([most({}), most({ rounds: 2 })]).toEqual([2 * 5 + 1, 2 * 2 + 1]);
});
