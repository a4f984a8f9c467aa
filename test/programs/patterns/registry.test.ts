import { expect, test } from "vitest";
import { builtInPatterns, loadPatterns } from "../../../src/programs/patterns/registry.ts";
import { load } from "../../workflows/load-options.ts";

test("what is known of each pattern before it is loaded is what the pattern says", async () => {
  const told = builtInPatterns.map(({ load: _, ...known }) => known);
  const patterns = await loadPatterns();
  expect(
    patterns.map(({ name, blockKey, onFailure, order, defaultMode }) => ({
      name,
      ...(blockKey === undefined ? {} : { blockKey }),
      onFailure,
      order,
      ...(defaultMode === undefined ? {} : { defaultMode }),
    })),
  ).toEqual(told);
});

test.each(["iterate", "collab", "team"])(
  "%s is a pattern with a block of its name [ITR-shape.registered]",
  async (name) => {
    const entry = builtInPatterns.find((pattern) => pattern.name === name);
    expect(entry).toMatchObject({ name });
    expect(entry?.blockKey).toBeUndefined();
    const [pattern] = await loadPatterns([name]);
    expect(pattern?.block).toBeDefined();
  },
);

test.each([
  ["map-reduce", "mapReduce: { items: [x], map: a, reduce: b }"],
  ["scatter-gather", "scatterGather: { workers: [a], gather: b }"],
  ["mixture-of-agents", "mixtureOfAgents: { proposers: [a], layers: 2, aggregator: b }"],
  ["supervisor", "supervisor: { agent: a }"],
  ["reflection", "reflectionLoop: { author: a, critic: b, maxRounds: 3 }"],
  ["red-team", "redTeam: { author: a, attackers: [b], maxRounds: 2 }"],
  ["verifier", "verifier: { worker: a, verifier: b, maxAttempts: 3 }"],
  ["escalation", "escalation: { agents: [a, b] }"],
  ["competitive", "competitive: { candidates: [a], judge: b }"],
  ["competitive", 'competitive: { candidates: [a, b], verify: "true" }'],
  ["review-loop", "reviewLoop: { author: a, reviewers: [b], maxRounds: 3 }"],
  ["blackboard", "blackboard: { goal: x, maxRounds: 4 }"],
])("%s has the block { %s } [PAT-more-2.blocks]", (pattern, block) => {
  const agents = "[{ id: a }, { id: b }]";
  const { definition, problems } = load(
    `name: f\npattern: ${pattern}\nagents: ${agents}\n${block}\n`,
  );
  expect(problems).toEqual([]);
  const keys = [...block.slice(block.indexOf("{")).matchAll(/(\w+):/g)].map(([, key]) => key);
  expect(Object.keys(definition?.options ?? {})).toEqual(keys);
});

test("the blocks of circuit breakers and what undoes steps of sagas stand beside their steps [PAT-more-2.blocks]", () => {
  const file = (pattern: string, step: string, block: string) =>
    load(
      `name: f\npattern: ${pattern}\nagents: [{ id: a }, { id: b }]\nsteps: [{ id: s, agent: a, prompt: x${step} }]\n${block}`,
    );
  const breaker = "circuitBreaker: { agent: a, threshold: 3, cooldown: 1m, fallback: b }\n";
  const guarded = file("circuit-breaker", "", breaker);
  expect(guarded.problems).toEqual([]);
  const options = { agent: "a", threshold: 3, cooldown: "1m", fallback: "b" };
  expect(guarded.definition?.options).toEqual(options);
  for (const undo of ['{ prompt: "undo" }', '{ command: "true" }']) {
    const { problems, definition } = file("saga", `, compensate: ${undo}`, "");
    expect(problems.map(({ code }) => code)).toEqual(["WORKFLOW_UNUSED_AGENT"]);
    expect(definition?.steps[0]?.compensate).toBeDefined();
  }
});

test("only the patterns that are named are loaded, in the order of the list", async () => {
  const patterns = await loadPatterns(["dag", "fan-out", "nonsense"]);
  expect(patterns.map(({ name }) => name)).toEqual(["fan-out", "dag"]);
});
