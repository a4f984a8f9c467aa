import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMachineAt } from "../../src/app/machine/machine.ts";
import { readRecipe } from "../../src/app/workflow/shapes/run-recipe.ts";
import type { PatternDefinition } from "../../src/contracts/definition.ts";
import { PATTERN_FUNCTIONS } from "../../src/contracts/pattern-functions.ts";
import { isRecord, type Json } from "../../src/foundation/json.ts";
import {
  type AuctionOptions,
  auction,
  dag,
  type GossipOptions,
  gossip,
  loadWorkflow,
  type PoolOptions,
  type PrunerOptions,
  pool,
  type WorkflowOptions,
  type WorkflowRun,
} from "../../src/index.ts";

/** Where an option of code stands in a file: under its name, as a duration, nowhere (a function), or among its agents. */
type Place = "same" | "duration" | "function" | "agents";
type OptionsOf<Options, Common = WorkflowOptions> = {
  readonly [name in Exclude<keyof Options, keyof Common | Turns>]-?: Place;
};
type Turns = "maxAttempts" | "retryDelayMs" | "turnTimeoutMs" | "bounds";
type Stigmergy = NonNullable<WorkflowOptions["stigmergy"]>;

// The compiler sees to it that these are all options that the code takes, and no others.
const auctionOptions: OptionsOf<AuctionOptions> = {
  ...{ task: "same", bidders: "same", type: "same", bidBy: "same", reservePrice: "same" },
  ...{ biddingTimeoutMs: "duration", rounds: "same", startPrice: "same", step: "same" },
  evaluator: "function",
};
const gossipOptions: OptionsOf<GossipOptions> = {
  ...{ goal: "same", peers: "agents", fanout: "same", roundIntervalMs: "duration" },
  ...{ maxRounds: "same", stateExtractor: "function", stateMerger: "function" },
  convergenceTest: "function",
};
const poolOptions: OptionsOf<PoolOptions> = {
  ...{ goal: "same", agent: "same", judge: "same", populationSize: "same", cullRate: "same" },
  ...{ maxGenerations: "same", targetFitness: "same", mutate: "same", crossover: "same" },
  ...{ fitnessExtractor: "function", mutateTask: "function" },
};
const prunerOptions: OptionsOf<PrunerOptions, object> = {
  ...{ evaluator: "same", pruneThreshold: "same", beamWidth: "same" },
  evaluationIntervalMs: "duration",
};
const stigmergyOptions: OptionsOf<Stigmergy, object> = {
  ...{ namespace: "same", decayRate: "same", minThreshold: "same", reinforcement: "same" },
};
const CODE = {
  pruner: prunerOptions,
  stigmergy: stigmergyOptions,
  pool: poolOptions,
  auction: auctionOptions,
  gossip: gossipOptions,
};
type BlockName = keyof typeof CODE;

/** The names of the source that the primitives come from. */
const SOURCE: { readonly [block in BlockName]: readonly string[] } = {
  pruner: ["evaluator", "pruneThreshold", "beamWidth", "evaluationInterval"],
  stigmergy: ["namespace", "decayRate", "minThreshold", "reinforcement"],
  pool: [
    ...["populationSize", "fitnessExtractor", "cullRate", "maxGenerations", "targetFitness"],
    "mutateTask",
  ],
  auction: ["task", "bidders", "type", "biddingTimeout", "reservePrice", "evaluator"],
  gossip: [
    ...["fanout", "roundInterval", "maxRounds", "stateExtractor", "stateMerger"],
    "convergenceTest",
  ],
};
const BLOCKS: readonly BlockName[] = ["pruner", "stigmergy", "pool", "auction", "gossip"];

/** The keys of a block of a workflow file, as editors are told of them. */
function fileKeys(block: BlockName): readonly string[] {
  const path = join(import.meta.dirname, "../../schemas/workflow.schema.json");
  const found: string[][] = [];
  const look = (value: unknown) => {
    for (const [key, inner] of isRecord(value) ? Object.entries(value) : []) {
      if (key === "$defs") continue;
      const properties = key === block && isRecord(inner) ? inner["properties"] : undefined;
      if (isRecord(properties)) found.push(Object.keys(properties));
      else look(inner);
    }
    if (Array.isArray(value)) value.forEach(look);
  };
  look(JSON.parse(readFileSync(path, "utf8")));
  return found[0] ?? [];
}

function nameInFiles([name, place]: readonly [string, Place]): string {
  return place === "duration" ? name.replace(/Ms$/, "") : name;
}

test.each(BLOCKS)(
  "the options of %s have the same names in files and code, which are those of their source [PRM-files]",
  (block) => {
    const options = Object.entries(CODE[block]);
    const written = options.filter(([, place]) => place === "same" || place === "duration");
    expect(written.map(nameInFiles).toSorted()).toEqual(fileKeys(block).toSorted());
    const functions = options.flatMap(([name, place]) => (place === "function" ? [name] : []));
    for (const name of functions) expect(PATTERN_FUNCTIONS).toContain(name);
    expect(options.map(nameInFiles)).toEqual(expect.arrayContaining([...SOURCE[block]]));
  },
);

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "troupe-primitive-options-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** What a run from code was started with. */
async function writtenBy(run: WorkflowRun): Promise<PatternDefinition> {
  await run.parted;
  const journal = createMachineAt({ cwd }).store.open(run.id, "read");
  const { definition } = await readRecipe(run.id, journal.blob(run.state.run.definitionHash));
  journal.close();
  if (definition.shape !== "pattern") throw new Error("it has no pattern");
  return definition;
}

/** What a file says with these blocks. */
async function readFrom(content: { readonly [key: string]: Json }): Promise<PatternDefinition> {
  const file = join(cwd, "workflow.json");
  writeFileSync(file, JSON.stringify({ name: "w", ...content }));
  return (await loadWorkflow(file, { cwd })).definition;
}

const says = (name: string, text: string) => ({ name, task: "go", run: () => text });
const scripts = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, backend: "script", script: [{ say: "PASS" }] }));

test("an auction, a gossip and a pool are the same from a file and from code, option by option [PRM-files]", async () => {
  const bids = { type: "dutch", bidBy: "confidence", reservePrice: 0.5, startPrice: 0.9 } as const;
  const held = auction({
    ...{ cwd, task: "mow", bidders: [says("a", "PASS")], biddingTimeoutMs: 60_000 },
    ...{ ...bids, step: 0.2 },
  });
  const block = { ...bids, step: 0.2, biddingTimeout: "60000ms" };
  const fromFile = { pattern: "auction", agents: scripts("a"), auction: block };
  expect((await writtenBy(held)).options).toEqual((await readFrom(fromFile)).options);

  const rounds = { fanout: 1, maxRounds: 3 };
  const peers = [says("a", "GOSSIP: x"), says("b", "GOSSIP: x")];
  const gossiped = gossip({ cwd, goal: "talk", peers, ...rounds, roundIntervalMs: 5 });
  const told = { ...rounds, roundInterval: "5ms" };
  const gossipFile = { pattern: "gossip", agents: scripts("a", "b"), gossip: told };
  expect((await writtenBy(gossiped)).options).toEqual((await readFrom(gossipFile)).options);

  const sizes = { populationSize: 2, cullRate: 0.5, maxGenerations: 2, targetFitness: 1 };
  const bred = { ...sizes, mutate: "{{parent}}", crossover: true };
  const agent = says("dev", "DONE: x");
  const grown = pool({ cwd, goal: "grow", agent, judge: says("judge", "FITNESS: 1"), ...bred });
  const seats = { agent: "dev", judge: "judge" };
  const poolFile = {
    pattern: "pool",
    agents: scripts("dev", "judge"),
    pool: { ...seats, ...bred },
  };
  expect((await writtenBy(grown)).options).toEqual((await readFrom(poolFile)).options);
});

test("a pruner and marks are the same from a file and from code, option by option [PRM-files]", async () => {
  const bounds = { pruneThreshold: 3, beamWidth: 2 };
  const marks = {
    namespace: "ants",
    decayRate: 0.5,
    minThreshold: 0.1,
    reinforcement: "max",
  } as const;
  const run = dag({
    ...{ cwd, stigmergy: marks },
    nodes: [{ id: "a", task: "go", run: () => "done" }],
    pruner: {
      ...bounds,
      evaluator: { name: "judge", run: () => "FITNESS: 5" },
      evaluationIntervalMs: 5000,
    },
  });
  const fromFile = await readFrom({
    ...{ pattern: "dag", agents: scripts("a", "judge"), stigmergy: marks },
    steps: [{ id: "a", agent: "a", prompt: "go" }],
    pruner: { ...bounds, evaluator: "judge", evaluationInterval: "5s" },
  });
  const { pruner, stigmergy } = await writtenBy(run);
  expect({ pruner, stigmergy }).toEqual({
    pruner: fromFile.pruner,
    stigmergy: fromFile.stigmergy,
  });
  expect({ pruner, stigmergy }).toEqual({
    pruner: { ...bounds, evaluator: "judge", evaluationIntervalMs: 5000 },
    stigmergy: marks,
  });
});
