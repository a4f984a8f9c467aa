import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  auction,
  gossip,
  loadWorkflow,
  type PatternFunctions,
  resumeRun,
  runWorkflow,
} from "../../src/index.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-pattern-functions-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const memory = { store: "memory" } as const;

/** A bidder that says this, and then does the task. */
const bidder = (name: string, ...bids: readonly string[]) => {
  const left = [...bids];
  return {
    name,
    task: "you mow",
    run: ({ prompt }: { readonly prompt: string }) =>
      prompt.includes("the task is yours")
        ? `done by ${name}: ${/at a \w+ of [\d.]*\d/.exec(prompt)?.[0] ?? "at no price"}`
        : bidOf(left.shift()),
  };
};

const bidOf = (bid: string | undefined) => (bid === undefined ? "PASS" : `BID: ${bid}`);

type Evaluator = NonNullable<PatternFunctions["evaluator"]>;

const byApproach =
  (word: string): Evaluator =>
  (bids) =>
    bids.find(({ approach }) => approach.includes(word)) ?? null;

test("a function chooses the bid, and is given all that the reserve leaves, in the order in which they came [PRM-auction.evaluator]", async () => {
  const asked: unknown[] = [];
  const run = auction({
    ...memory,
    task: "mow",
    bidders: [
      bidder("goat", "[confidence=0.9] [cost=1] [time=2d] by eating it"),
      bidder("mower", "[confidence=0.6] [cost=5] in stripes"),
      bidder("cat", "[confidence=0.1] never"),
    ],
    reservePrice: 0.5,
    evaluator: async (bids) => {
      asked.push(bids.map(({ agent, cost, time }) => ({ agent, cost, time })));
      return byApproach("stripes")(bids);
    },
  });
  expect(await run.result).toMatchObject({
    success: true,
    output: "done by mower: at a confidence of 0.6",
    metadata: { winner: "mower", price: 0.6, bids: [{}, {}, { agent: "cat" }] },
  });
  expect(asked).toEqual([
    [
      { agent: "goat", cost: 1, time: "2d" },
      { agent: "mower", cost: 5, time: undefined },
    ],
  ]);
});

test("a vickrey auction asks the function for the second bid too, whose price is paid; a bid without one has none [PRM-auction.evaluator]", async () => {
  const evaluator: Evaluator = (bids) =>
    bids.toSorted((left, right) => right.approach.length - left.approach.length)[0] ?? null;
  const bidders = () => [
    bidder("a", "[confidence=0.9] x"),
    bidder("b", "[confidence=0.2] long words"),
    bidder("c", "[confidence=0.4] words"),
  ];
  const second = auction({
    ...memory,
    task: "mow",
    bidders: bidders(),
    type: "vickrey",
    evaluator,
  });
  expect(await second.result).toMatchObject({ metadata: { winner: "b", price: 0.4 } });
  const priceless = auction({
    ...memory,
    task: "mow",
    bidders: [bidder("a", "just so")],
    evaluator,
  });
  expect(await priceless.result).toMatchObject({
    output: "done by a: at no price",
    metadata: { winner: "a", price: null },
  });
});

test("an open auction goes on while the function prefers a new bid to the best one [PRM-auction.evaluator]", async () => {
  const asked: (readonly string[])[] = [];
  const run = auction({
    ...memory,
    task: "mow",
    type: "open",
    bidders: [bidder("a", "[cost=9] with care", "[cost=1] anyhow"), bidder("b", "[cost=2] anyhow")],
    evaluator: (bids) => {
      asked.push(bids.map(({ agent }) => agent));
      return byApproach("care")(bids) ?? bids[0] ?? null;
    },
  });
  expect(await run.result).toMatchObject({ metadata: { winner: "a", rounds: 2 } });
  expect(asked).toEqual([["a", "b"]]);
});

test("null means that no bid may win, and that is an outcome [PRM-auction.evaluator]", async () => {
  const bidders = [bidder("a", "[confidence=1] x")];
  const run = auction({ ...memory, task: "mow", bidders, evaluator: () => null });
  expect(await run.parted).toMatchObject({
    event: { outcome: "completed", reason: "no bid could win" },
  });
});

/** A peer that says this, turn by turn. */
const peer = (name: string, ...texts: readonly string[]) => {
  const left = [...texts];
  const told: string[] = [];
  const run = ({ prompt }: { readonly prompt: string }) => {
    told.push(prompt);
    return left.shift() ?? "nothing more to say";
  };
  return { task: { name, task: "look", run }, told };
};

const words = (text: string) => [...new Set(text.split(" "))].toSorted().join(" ");

test("functions read states out of what peers say and merge them: each peer takes one turn [PRM-gossip.merger, PRM-files-2.merger]", async () => {
  const peers = [
    peer("a", "I saw rain"),
    peer("b", "GOSSIP: there was wind"),
    peer("c", "sun, I think: sun"),
  ];
  const read: unknown[] = [];
  const run = gossip({
    ...memory,
    goal: "what is up",
    peers: peers.map(({ task }) => task),
    fanout: 2,
    stateExtractor: async (messages) => {
      read.push(messages);
      return /rain|wind|sun/.exec(messages.map(({ text }) => text).join())?.[0] ?? "";
    },
    stateMerger: async (local, received) => words(`${local} ${received}`),
  });
  expect(await run.result).toMatchObject({
    success: true,
    output: "rain sun wind",
    metadata: { rounds: 1, agreed: true, peers: ["a", "b", "c"] },
  });
  expect(peers.map(({ told }) => told.length)).toEqual([1, 1, 1]);
  expect(read).toEqual([
    [{ from: "a", text: "I saw rain" }],
    [{ from: "b", text: "there was wind" }],
    [{ from: "c", text: "sun, I think: sun" }],
  ]);
});

test("without a merger peers merge, and the state is read out of all that they have said [PRM-gossip.merger]", async () => {
  const peers = [peer("a", "rain", "and wind"), peer("b", "wind", "and rain")];
  const run = gossip({
    ...memory,
    goal: "what is up",
    peers: peers.map(({ task }) => task),
    stateExtractor: (messages) => words(messages.map(({ text }) => text).join(" ")),
  });
  expect(await run.result).toMatchObject({
    output: "and rain wind",
    metadata: { rounds: 1, agreed: true },
  });
  expect(peers.map(({ told }) => told.length)).toEqual([2, 2]);
});

test("a function compares states: unequal ones may be near enough, and equal ones may not [PRM-gossip.merger]", async () => {
  const near = gossip({
    ...memory,
    goal: "how warm",
    peers: [peer("a", "20").task, peer("b", "30").task],
    stateMerger: (local, received) => String(Number(local) * 0.75 + Number(received) * 0.25),
    convergenceTest: async (states) => {
      const all = [...states.values()].map(Number);
      return Math.max(...all) - Math.min(...all) < 3;
    },
  });
  expect(await near.parted).toMatchObject({
    event: {
      outcome: "completed",
      reason: "the states have converged after 2 rounds",
      result: { output: "## a\n\n23.75\n\n## b\n\n26.25", metadata: { agreed: true } },
    },
  });
  const never = gossip({
    ...memory,
    goal: "how warm",
    peers: [peer("a", "20").task, peer("b", "20").task],
    convergenceTest: () => false,
  });
  expect(await never.parted).toMatchObject({
    event: {
      outcome: "limit-reached",
      reason: "all have the same state after 0 rounds, which convergenceTest does not take",
      result: { output: "20", metadata: { agreed: false } },
    },
  });
});

const WRONG: readonly (readonly [string, PatternFunctions, string])[] = [
  ["stateExtractor", { stateExtractor: () => JSON.parse("1") }, "is not a text"],
  ["stateMerger", { stateMerger: () => JSON.parse("null") }, "is not a text"],
  ["convergenceTest", { convergenceTest: () => JSON.parse('"yes"') }, "is not true or false"],
];

test.each(WRONG)(
  "a %s that returns no answer ends the run by name",
  async (name, functions, problem) => {
    const peers = [peer("a", "x").task, peer("b", "y").task];
    const run = gossip({ ...memory, goal: "go", peers, ...functions });
    const message = expect.stringMatching(`${name} .*${problem}`);
    expect(await run.parted).toMatchObject({
      event: { outcome: "failed", error: { code: "PATTERN_FUNCTION_BROKEN", message } },
    });
  },
);

const BROKEN: readonly (readonly [string, Evaluator, string])[] = [
  ["throws", () => JSON.parse("{"), "JSON"],
  ["returns no bid", () => JSON.parse('{"agent":"nobody"}'), "not one of the bids, or null"],
  ["returns nothing", () => JSON.parse("[]"), "not one of the bids, or null"],
];

test.each(BROKEN)("a function that %s ends the run by name", async (_what, evaluator, problem) => {
  const bidders = [bidder("a", "[confidence=1] x")];
  const run = auction({ ...memory, task: "mow", bidders, evaluator });
  expect(await run.parted).toMatchObject({
    event: {
      outcome: "failed",
      error: { code: "PATTERN_FUNCTION_BROKEN", message: expect.stringContaining(problem) },
    },
  });
});

test("functions that a workflow would not ask are refused", async () => {
  const bidders = [bidder("a", "[confidence=1] x")];
  const dutch = { type: "dutch", startPrice: 1, step: 0.1 } as const;
  const evaluator = byApproach("x");
  const falling = auction({ ...memory, task: "mow", bidders, ...dutch, evaluator });
  await expect(falling.result).rejects.toMatchObject({
    code: "WORKFLOW_INVALID",
    message: expect.stringContaining("a dutch auction goes to the first bid"),
  });
  const agents = ["a", "b"].map((id) => ({ id, backend: "script", script: [{ say: "DONE: x" }] }));
  const mesh = { pattern: "mesh", agents };
  const options = { ...memory, patternFunctions: { evaluator } };
  await expect(runWorkflow(mesh, "go", options).result).rejects.toMatchObject({
    code: "WORKFLOW_INVALID",
    message: expect.stringContaining("the pattern mesh asks no function evaluator"),
  });
});

test("functions of a pattern are refused where there is none", async () => {
  const file = join(directory, "talk.yaml");
  writeFileSync(file, "name: talk\ncontext:\nagents: { a: {}, b: {} }\nkickoff: go @a\n");
  const talk = await loadWorkflow(file, { shape: "kickoff", cwd: directory });
  const patternFunctions = { evaluator: byApproach("x") };
  expect(() => runWorkflow(talk, undefined, { ...memory, patternFunctions })).toThrow(
    expect.objectContaining({ code: "PATTERN_FUNCTION_UNUSED" }),
  );
});

test("a run goes on in another process with its functions, asks none again, and says what it needs without [PRM-auction.evaluator, ENG-14]", async () => {
  let asked = 0;
  const evaluator: Evaluator = (bids) => {
    asked += 1;
    return bids.find(({ agent }) => agent === (asked === 1 ? "a" : "b")) ?? null;
  };
  const content = {
    pattern: "auction",
    agents: [
      { id: "a", backend: "human" },
      { id: "b", backend: "script", script: [{ say: "BID: [confidence=0.9] x" }] },
    ],
  };
  const patternFunctions = { evaluator };
  const run = runWorkflow(content, "mow", { cwd: directory, patternFunctions });
  const questions: string[] = [];
  for await (const event of run.events) {
    if (event.type !== "question-asked") continue;
    questions.push(event.id);
    if (questions.length === 2) break;
    await run.answer(event.id, "BID: [confidence=0.1] by hand");
  }
  await run.suspend();
  expect(asked).toBe(1);
  await expect(resumeRun(run.id, { cwd: directory })).rejects.toMatchObject({
    code: "WORKFLOW_CODE_MISSING",
    message: `${run.id} needs code that is not here: functions of the pattern evaluator`,
    hint: "resume in code: resumeRun(id, { patternFunctions })",
  });
  const resumed = await resumeRun(run.id, { cwd: directory, patternFunctions });
  if (resumed.status === "over") throw new Error("it is over");
  await resumed.run.answer(questions[1] ?? "", "DONE: mown");
  expect(await resumed.run.result).toMatchObject({ output: "mown", metadata: { winner: "a" } });
  expect(asked).toBe(1);
});
