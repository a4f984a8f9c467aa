import { expect, test } from "vitest";
import { isRecord, type Json } from "../../../src/foundation/json.ts";
import type { TestWorkflow } from "../../../src/testing/define-test-workflow.ts";
import { runWoken, type WokenRun } from "./woken-run.ts";

interface Case extends TestWorkflow {
  readonly said: { readonly [agent: string]: Json };
  /** What the first prompt of an agent of each role says, by agent. */
  readonly told: { readonly [agent: string]: readonly (string | RegExp)[] };
}

const done = [{ say: "DONE: ok" }];
const two = [{ id: "a" }, { id: "b" }];

const CASES: { readonly [pattern: string]: Case } = {
  "fan-out": {
    agents: two,
    steps: [{ id: "a" }, { id: "b" }],
    said: { a: done, b: done },
    told: { a: ["fan-out", "worker 1 of 2", "do not wait for other workers", "`DONE:`"] },
  },
  pipeline: {
    agents: two,
    steps: [{ id: "a" }, { id: "b" }],
    said: { a: [{ say: "DONE: a plan" }], b: done },
    told: {
      a: ["pipeline", 'stage 1 of 2, "a"', '"b" comes after you', "everything that the next stage"],
      b: ["stage 2 of 2", 'output of stage "a"\na plan\n', "`DONE:`"],
    },
  },
  dag: {
    agents: two,
    steps: [{ id: "a" }, { id: "b", dependsOn: ["a"] }],
    said: { a: [{ say: "DONE: an api" }], b: done },
    told: {
      a: ["graph of steps", 'step "a"', '"b"'],
      b: ['step "b"', 'output of step "a"\nan api\n', "`DONE:`"],
    },
  },
  "hub-spoke": {
    agents: [{ id: "lead", role: "hub" }, { id: "db" }, { id: "api" }],
    said: { lead: [{ say: "go" }, { say: "DONE: ok" }, { say: "DONE: ok" }], db: done, api: done },
    told: {
      lead: [
        "You are the hub: db, api report to you",
        "#main",
        "spawn_agent",
        "all parts are done",
      ],
      db: ["You are a worker and report to lead", "You may write to lead, api", "ACK:", "`DONE:`"],
    },
  },
  consensus: {
    agents: two,
    said: { a: [{ say: "VOTE: approve" }], b: [{ say: "VOTE: approve" }] },
    told: { a: ["a vote on a proposal: 2 voters", "`approve` or `reject` and why", "`VOTE:`"] },
  },
  mesh: {
    agents: two,
    options: { maxRounds: 3 },
    said: { a: done, b: done },
    told: {
      a: ["This is a mesh: 2 peers", "at most 3", "#main", "nothing is done twice", /: b\./],
    },
  },
  handoff: {
    agents: two,
    options: { maxHandoffs: 1, routes: [{ agent: "b", condition: "invoices" }] },
    said: { a: [{ say: "HANDOFF: b yours" }], b: done },
    told: {
      a: ["b (invoices)", "HANDOFF: <agent> <why>", "1 hand-over left", "all that was answered"],
      b: ["no hand-over is left: finish it yourself", "Handed over: yours"],
    },
  },
  cascade: {
    agents: two,
    said: { a: [{ say: "DONE [confidence=0.2]: 4" }], b: [{ say: "DONE [confidence=1]: 5" }] },
    told: {
      a: ["number 1 of 2", "a confidence of 0.7 on, else the next one", "`DONE [confidence=0.8]:"],
      b: ["number 2 of 2", "Those before you were not sure enough", "confidence 0.2\n4\n"],
    },
  },
  debate: {
    agents: [...two, { id: "judge", role: "judge" }],
    options: { positions: { a: "one", b: "many" }, maxRounds: 1 },
    said: {
      a: [{ say: "ARGUMENT: simple" }],
      b: [{ say: "ARGUMENT: small" }],
      judge: [{ say: "VERDICT: one\nDONE: it is" }],
    },
    told: {
      a: [
        "You defend this: one",
        "b (many)",
        "Round 1 of 1",
        "`ARGUMENT:`",
        "`CONCEDE:`",
        "best points",
      ],
      judge: ["one / many", "Weigh evidence", "argument of b\nsmall", "`VERDICT:`", "`DONE:`"],
    },
  },
  hierarchical: {
    agents: [
      { id: "lead", role: "lead" },
      { id: "fe", role: "coordinator", reportsTo: "lead" },
      { id: "css", reportsTo: "fe" },
    ],
    said: {
      lead: [{ say: "go" }, { say: "DONE: ok" }],
      fe: [{ say: "go" }, { say: "TEAM_DONE: ok" }],
      css: done,
    },
    told: {
      lead: ["You lead all", "fe (with css)", "not to those below them", "when all teams are done"],
      fe: ["You coordinate a team and report to lead", "To you report css", "`TEAM_DONE:`"],
      css: ["a worker in the team of fe and report to fe", "ACK:", "`DONE:`"],
    },
  },
};

test.each(Object.entries(CASES))(
  "in %s each role is told its place, with whom it works and how it ends [CON-1.roles]",
  async (pattern, { said, told, ...workflow }) => {
    const run = await runWoken({ ...workflow, pattern }, { task: "the goal of all", turns: said });
    for (const [agent, facts] of Object.entries(told)) {
      const prompt = firstPrompt(run, agent);
      expect(prompt, agent).toMatch(/^## Working Together\n[\s\S]*\n---\n[\s\S]*the goal of all/);
      for (const fact of facts)
        if (typeof fact === "string") expect(prompt, agent).toContain(fact);
        else expect(prompt, agent).toMatch(fact);
    }
  },
);

function firstPrompt(run: WokenRun, agent: string): string {
  const [first = ""] = run
    .all("operation-scheduled")
    .flatMap(({ kind, input }) =>
      kind === "turn" && isRecord(input) && input["agent"] === agent
        ? [String(input["prompt"])]
        : [],
    );
  return first;
}
