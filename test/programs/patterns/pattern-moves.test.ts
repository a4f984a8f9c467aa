import { expect, test } from "vitest";
import type { Json } from "../../../src/foundation/json.ts";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { runTalkCase } from "./talk-runs.ts";

interface Case extends TestWorkflow {
  readonly said: { readonly [agent: string]: Json };
  /** Moves of these kinds, in order. */
  readonly moves: readonly (readonly [kind: string, data: object])[];
}

const two = [{ id: "a" }, { id: "b" }];

const CASES: { readonly [pattern: string]: Case } = {
  mesh: {
    agents: two,
    options: { maxRounds: 5 },
    said: { a: [{ say: "hm" }, { say: "DONE: a" }], b: [{ say: "DONE: b" }] },
    moves: [
      ["round", { round: 1, of: 5, spoke: ["a", "b"], news: 1 }],
      ["round", { round: 2, of: 5, spoke: ["a"], news: 0 }],
    ],
  },
  consensus: {
    agents: [...two, { id: "c" }],
    said: {
      a: [{ say: "VOTE: approve" }],
      b: [{ after: "1s", say: "VOTE: reject" }],
      c: [{ hang: true, do: [{ signal: { kind: "vote", value: "approve" } }] }],
    },
    options: { timeout: "9s" },
    moves: [
      ["vote", { agent: "c", vote: "approve", changed: false }],
      ["vote", { agent: "a", vote: "approve", changed: false }],
      ["vote", { agent: "b", vote: "reject", changed: false }],
      ["decision", { decision: "approved", approve: 2, reject: 1, cast: 3, quorum: 2 }],
    ],
  },
  handoff: {
    agents: two,
    options: { maxHandoffs: 3 },
    said: {
      a: [{ say: "HANDOFF: b an invoice" }, { say: "DONE: x" }],
      b: [{ say: "HANDOFF: nobody a bug" }],
    },
    moves: [
      ["handoff", { from: "a", to: "b", reason: "an invoice", by: "signal", left: 2 }],
      ["handoff", { from: "b", to: "a", reason: "a bug", by: "return", left: 1 }],
    ],
  },
  cascade: {
    agents: two,
    said: { a: [{ say: "DONE [confidence=0.2]: x" }], b: [{ say: "DONE [confidence=0.9]: y" }] },
    moves: [
      ["tier", { tier: 1, agent: "a", confidence: 0.2, accepted: false }],
      ["tier", { tier: 2, agent: "b", confidence: 0.9, accepted: true }],
    ],
  },
  debate: {
    agents: [...two, { id: "judge", role: "judge" }],
    options: { positions: { a: "one", b: "many" }, maxRounds: 1 },
    said: {
      "*": [{ say: "ARGUMENT: x" }],
      judge: [{ say: "VERDICT: one\nDONE: it is" }],
    },
    moves: [
      ["round", { round: 1, of: 1, spoke: ["a", "b"] }],
      ["verdict", { winner: "one", judge: "judge" }],
    ],
  },
  auction: {
    agents: two,
    said: {
      a: [{ say: "BID: [confidence=0.9] me" }, { say: "DONE: x" }],
      b: [{ say: "BID: [confidence=0.4] me" }],
    },
    moves: [["award", { winner: "a", price: 0.9 }]],
  },
  pool: {
    agents: [{ id: "dev" }],
    options: { populationSize: 2, maxGenerations: 2 },
    said: {
      "dev-g0-0": [{ say: "x\nFITNESS: 1" }],
      "dev-g0-1": [{ say: "y\nFITNESS: 5" }],
      "dev-g1-0": [{ say: "z\nFITNESS: 7" }],
    },
    moves: [
      ["generation", { generation: 0, best: "dev-g0-1" }],
      ["generation", { generation: 1, best: "dev-g1-0" }],
    ],
  },
  gossip: {
    agents: two,
    said: {
      a: [{ say: "GOSSIP: rain" }, { say: "GOSSIP: both" }],
      b: [{ say: "GOSSIP: wind" }, { say: "GOSSIP: both" }],
    },
    moves: [["gossip", { round: 1, distinct: 1 }]],
  },
};

test.each(Object.entries(CASES))(
  "the moves of %s say what took place [PAT-events-2.talk, PAT-events-2.choice]",
  async (pattern, { said, moves, ...workflow }) => {
    const run = await runTalkCase({ ...workflow, pattern }, said);
    expect(run.outcome).toBe("completed");
    const kinds = new Set(moves.map(([kind]) => kind));
    const told = run
      .all("pattern-advanced")
      .flatMap(({ kind, data }) => (kinds.has(kind) ? [[kind, data]] : []));
    expect(told).toMatchObject(moves);
  },
);
