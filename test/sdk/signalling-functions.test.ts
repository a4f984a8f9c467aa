import { expect, test } from "vitest";
import {
  auction,
  cascade,
  consensus,
  gossip,
  handoff,
  hubAndSpoke,
  mesh,
  pool,
  type WorkflowRun,
} from "../../src/index.ts";

const memory = { store: "memory" } as const;

/** Signals of a run that count, by kind and value. */
async function signalsOf(run: WorkflowRun): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const event of run.events)
    if (event.type === "signal-received" && event.counted)
      found.push(`${event.agent} ${event.signal.kind} ${event.signal.value} by ${event.signal.by}`);
  return found;
}

test("functions vote without a marker word, with a reason that stands in the result [PAT-plain.signals]", async () => {
  const vote = (value: string, reason: string) => () => ({
    text: `my mind is made up: ${reason}`,
    signals: [{ kind: "vote", value, reason }],
  });
  const run = consensus({
    ...memory,
    proposal: "tabs",
    voters: [
      { name: "ann", task: "judge", run: vote("approve", "short") },
      { name: "bob", task: "judge", run: vote("approve", "clear") },
      { name: "eve", task: "judge", run: vote("reject", "wide") },
    ],
  });
  const { metadata } = await run.result;
  expect(metadata).toMatchObject({
    decision: "approved",
    votes: expect.arrayContaining([
      expect.objectContaining({ agent: "eve", vote: "reject", reason: "wide" }),
    ]),
  });
  expect((await signalsOf(run)).toSorted()).toEqual([
    "ann vote approve by tool",
    "bob vote approve by tool",
    "eve vote reject by tool",
  ]);
});

test("a function hands over and another finishes without marker words [PAT-plain.signals]", async () => {
  const run = handoff({
    ...memory,
    entryPoint: {
      name: "triage",
      task: "an invoice",
      run: () => ({
        text: "not mine",
        signals: [{ kind: "handoff", value: "billing", reason: "money" }],
      }),
    },
    routes: [
      {
        agent: {
          name: "billing",
          task: "",
          run: () => ({ text: "see above", signals: [{ kind: "done", value: "paid" }] }),
        },
        condition: "payment",
      },
    ],
  });
  expect(await run.result).toMatchObject({
    success: true,
    output: "paid",
    metadata: {
      path: ["triage", "billing"],
      handoffs: [{ from: "triage", to: "billing", reason: "money", by: "signal" }],
    },
  });
});

test("a function says how sure it is without a tag [PAT-plain.signals]", async () => {
  const sure = (confidence: number, text: string) => () => ({
    text,
    signals: [{ kind: "done", value: text, confidence }],
  });
  const run = cascade({
    ...memory,
    tiers: [
      { agent: { name: "fast", task: "guess", run: sure(0.2, "maybe") } },
      { agent: { name: "strong", task: "guess", run: sure(0.9, "yes") } },
    ],
  });
  expect(await run.result).toMatchObject({
    output: "yes",
    metadata: { tiersUsed: 2, finalConfidence: 0.9, accepted: true },
  });
});

test("a function that leads ends the run by a signal", async () => {
  const run = hubAndSpoke({
    ...memory,
    hub: {
      name: "lead",
      task: "a page",
      run: ({ prompt }) =>
        prompt.includes("written")
          ? { text: "I have seen it", signals: [{ kind: "done", value: "the page is there" }] }
          : { text: "go on", signals: [] },
    },
    workers: [
      {
        name: "dev",
        task: "write it",
        run: () => ({ text: "", signals: [{ kind: "done", value: "written" }] }),
      },
    ],
  });
  expect(await run.result).toMatchObject({ success: true, output: "the page is there" });
});

test("a signal that does not count of its agent fails the turn, and is journaled as refused [SIG-9]", async () => {
  const run = cascade({
    ...memory,
    tiers: [
      {
        agent: {
          name: "a",
          task: "guess",
          run: () => ({ text: "x", signals: [{ kind: "vote", value: "approve" }] }),
        },
      },
    ],
  });
  const refused: unknown[] = [];
  for await (const event of run.events)
    if (event.type === "signal-received" && !event.counted) refused.push(event.refused);
  expect(refused).toEqual(["only voters vote"]);
  expect(await run.parted).toMatchObject({
    event: {
      outcome: "failed",
      reason: expect.stringContaining("its signal vote does not count: only voters vote"),
    },
  });
});

test("an auction of functions goes to the best bidder, under the names of files [PRM-auction.code]", async () => {
  const bidder =
    (cost: number) =>
    ({ prompt }: { readonly prompt: string }) =>
      prompt.includes("the task is yours")
        ? `done for ${cost}`
        : { text: "", signals: [{ kind: "bid", value: `[cost=${cost}] by hand` }] };
  const run = auction({
    ...memory,
    task: "mow",
    bidders: [2, 3, 9].map((cost) => ({ name: `b${cost}`, task: "you mow", run: bidder(cost) })),
    ...{ type: "vickrey", bidBy: "cost", reservePrice: 5, biddingTimeoutMs: 60_000 },
  });
  expect(await run.result).toMatchObject({
    output: "done for 2",
    metadata: { winner: "b2", price: 3, bidBy: "cost" },
  });
});

test("a gossip of functions ends with one state, under the names of files [PRM-gossip.code]", async () => {
  const peer =
    (state: string) =>
    ({ prompt }: { readonly prompt: string }) =>
      prompt.includes("Make one state") ? "both" : state;
  const run = gossip({
    ...memory,
    goal: "what is up",
    peers: ["rain", "wind"].map((name) => ({ name, task: "look", run: peer(name) })),
    ...{ fanout: 1, maxRounds: 3, roundIntervalMs: 0 },
  });
  expect(await run.result).toMatchObject({ output: "both", metadata: { rounds: 1, agreed: true } });
});

test("a pool of functions makes better answers of the best, under the names of files [PRM-pool.code]", async () => {
  const run = pool({
    ...memory,
    goal: "count",
    agent: {
      name: "dev",
      task: "as far as you can",
      run: ({ prompt }) => {
        const reached = Math.max(
          0,
          ...[...prompt.matchAll(/reached (\d+)/g)].map(([, n]) => Number(n)),
        );
        return `reached ${reached + 1}`;
      },
    },
    judge: {
      name: "judge",
      task: "be fair",
      run: ({ prompt }) => `FITNESS: ${/reached (\d+)/.exec(prompt)?.[1]}`,
    },
    ...{ populationSize: 2, cullRate: 0.5, maxGenerations: 9, targetFitness: 3, crossover: true },
    mutate: "{{parent}} in {{generation}}",
  });
  expect(await run.result).toMatchObject({
    output: "reached 3",
    metadata: { bestAgent: "dev-g2-0", bestFitness: 3, generations: 3 },
  });
});

test("functions leave marks and read them, with the options of files [PRM-stigmergy.code]", async () => {
  const run = mesh({
    ...memory,
    stigmergy: { reinforcement: "max" },
    goal: "search",
    agents: [3, 5].map((value) => ({
      name: `ant${value}`,
      task: "look",
      run: async ({ callTool }) => {
        await callTool("deposit", { key: "hill", value });
        return JSON.stringify(await callTool("trail_read", {}));
      },
    })),
  });
  const { output } = await run.result;
  expect(output).toContain('{"marks":[{"key":"hill","value":5,"lastUpdatedBy":');
});
