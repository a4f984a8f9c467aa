import { expect, test } from "vitest";
import { builtInPatterns } from "../../src/programs/patterns/registry.ts";
import { load } from "./load-options.ts";

const names = builtInPatterns.map(({ name }) => name);
const AGENTS = "agents: [{ id: a }, { id: b }, { id: judge }]\n";
const STEPS = "steps: [{ id: s, agent: a, prompt: x }]\n";

/** What is wrong with a file of a pattern because of one of its blocks. */
const problemsWith = (pattern: string, block: string, word: string) =>
  load(`name: f\npattern: ${pattern}\n${AGENTS}${block}`).problems.flatMap(({ message }) =>
    message.includes(word) ? [message] : [],
  );

test.each(names)(
  "beside %s stands stigmergy, and pruner only beside dag [PRM-files-2.blocks]",
  (name) => {
    expect(problemsWith(name, "stigmergy: { decayRate: 0.1 }\n", "stigmergy")).toEqual([]);
    const pruner = "pruner: { evaluator: judge, beamWidth: 2 }\n";
    expect(problemsWith(name, `${STEPS}${pruner}`, "pruner")).toEqual(
      name === "dag" ? [] : [`pruner has no meaning in ${name}, which has no branches`],
    );
  },
);

test.each([
  ["auction", "auction: { rounds: 2, type: open }", "an auction has no steps"],
  ["pool", "pool: { agent: a, judge: judge }", "a pool has no steps"],
  ["gossip", "gossip: { fanout: 1 }", "a gossip has no steps"],
])("%s has a block of its name and no steps [PRM-files-2.blocks]", (name, block, problem) => {
  const { definition, problems } = load(`name: f\npattern: ${name}\n${AGENTS}${block}\n`);
  expect(problems.map(({ message }) => message)).toEqual([]);
  expect(Object.keys(definition?.options ?? {}).length).toBeGreaterThan(0);
  expect(problemsWith(name, `${STEPS}${block}\n`, "no steps")).toEqual([
    expect.stringContaining(problem),
  ]);
});

test("what is auctioned is the task of the block, else that of the run [PRM-files-2.auction]", () => {
  const goalOf = (block: string) =>
    load(`name: f\npattern: auction\n${AGENTS}auction: ${block}\n`).definition?.goal;
  expect([goalOf("{ task: paint the fence }"), goalOf("{}")]).toEqual([
    "paint the fence",
    undefined,
  ]);
});

test("marks go to default and stay, add up and are none below 0.01, unless the block says otherwise [PRM-files-2.stigmergy]", () => {
  const stigmergyOf = (text: string) =>
    load(`name: f\npattern: mesh\n${AGENTS}stigmergy: ${text}\n`).definition?.stigmergy;
  const usual = { decayRate: 0, minThreshold: 0.01, namespace: "default" };
  expect(stigmergyOf("{}")).toEqual({ ...usual, reinforcement: "additive" });
  const other = { namespace: "ants", decayRate: 0.5, minThreshold: 0, reinforcement: "max" };
  expect(stigmergyOf(JSON.stringify(other))).toEqual(other);
});
