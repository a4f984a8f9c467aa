import { z } from "zod";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { PatternFunctionName } from "../../contracts/pattern-functions.ts";
import {
  definePattern,
  type PatternAdvance,
  type PatternFault,
} from "../../contracts/ports/pattern.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import { culledCount, memberName, type PoolRules } from "../primitives/pool-generations.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { evolve, type PoolPlan } from "../talk/evolution.ts";
import { faultsOfNames, memberNamed } from "../talk/find-members.ts";
import { PoolOrders } from "../talk/pool-orders.ts";
import { answeringOnly, runTalk, type TalkPattern } from "../talk/run-talk.ts";
import type { Talk } from "../talk/talk.ts";
import type { Role } from "../talk/talk-turn.ts";
import { renderConvention } from "./conventions/convention.ts";
import {
  type PoolMemberParams,
  poolJudgeConvention,
  poolMemberConvention,
} from "./conventions/pool-convention.ts";

const DEFAULTS = { populationSize: 8, cullRate: 0.5, maxGenerations: 5 };

const block = z.strictObject({
  goal: z.string().min(1).optional().describe("What each does. Default: the task."),
  agent: z
    .string()
    .min(1)
    .optional()
    .describe("Whose copies the members are. Default: the only agent that is not the judge."),
  populationSize: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe(`Members at the same time. Default: ${DEFAULTS.populationSize}.`),
  cullRate: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(`Share of them that goes in each generation. Default: ${DEFAULTS.cullRate}.`),
  maxGenerations: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(`Generations at most. Default: ${DEFAULTS.maxGenerations}.`),
  targetFitness: z.number().optional().describe("Fitness that is good enough. Default: none."),
  mutate: z
    .string()
    .min(1)
    .optional()
    .describe(
      "The task of a child: `{{parent}}` is the task of its parent, `{{generation}}` its generation. Default: the same task.",
    ),
  crossover: z
    .boolean()
    .optional()
    .describe("Whether a child is told the answers of two parents. Default: false."),
  judge: z
    .string()
    .min(1)
    .optional()
    .describe("Who says how good an answer is. Default: whoever gave it."),
});

const pattern: Omit<TalkPattern, "talk"> = {
  // Answers go to nobody: who is made of them is told them.
  members: answeringOnly,
  role: (definition, agent) => {
    const { judge, agent: template } = seatsOf(definition);
    return agent === judge && agent !== template ? judgeRole(definition) : memberRole(definition);
  },
  metadata,
};

/** Copies of one agent do the same task; the best answers live on and others are made of them, generation by generation. */
export const poolPattern = definePattern({
  name: "pool",
  summary: "Copies of an agent answer, the best live on, and others are made of them",
  block,
  goalKey: "goal",
  onFailure: "continue",
  order: "mode",
  functions: ["fitnessExtractor", "mutateTask"],
  members: pattern.members,
  metadata,
  check,
  turns: (definition) => {
    const { rules, maxGenerations, judge } = planOf(definition);
    const { populationSize } = rules;
    const each = judge === undefined ? 1 : 2;
    const most = populationSize + (maxGenerations - 1) * culledCount(rules);
    const basis = `${count(populationSize, "member")} + ${culledCount(rules)} in each of up to ${count(maxGenerations - 1, "generation")}${judge === undefined ? "" : ", each judged"}`;
    return { least: populationSize * each, most: most * each, basis };
  },
  links: (definition) => {
    const { agent, judge } = seatsOf(definition);
    const born = { from: agent, to: "generation", kind: "signal" } as const;
    return judge === undefined
      ? [born]
      : [born, { from: judge, to: "generation", kind: "signal" as const }];
  },
  run: (context, definition) => {
    // From the first moment on: members may be taken in before there are any.
    const orders = new PoolOrders(context);
    const talk = (talk: Talk) => evolve(talk, planOf(talk.definition), orders);
    return runTalk(context, definition, { ...pattern, talk });
  },
});

/** Who is what: ids as declared. */
function seatsOf({ options, agents }: PatternDefinition): {
  readonly agent: string;
  readonly judge: string | undefined;
} {
  const { agent, judge } = block.parse(options);
  const crew = crewOf(agents);
  const judging = judge === undefined ? undefined : (memberNamed(crew, judge)?.id ?? judge);
  const [first] = crew.filter(({ id }) => id !== judging);
  const named = agent === undefined ? first : memberNamed(crew, agent);
  return { agent: named?.id ?? agent ?? "", judge: judging };
}

function planOf(definition: PatternDefinition): PoolPlan {
  const given = givenIn(definition);
  const { agent, judge } = seatsOf(definition);
  const template = definition.agents.find(({ id }) => id === agent);
  return {
    template: template ?? { id: agent, backend: "" },
    judge,
    rules: rulesOf(given),
    maxGenerations: given.maxGenerations,
    targetFitness: given.targetFitness,
    crossover: given.crossover ?? false,
    task: template?.task ?? definition.goal ?? "{{task}}",
    mutate: given.mutate,
    functions: definition.functions ?? [],
    roles: { member: memberRole(definition), judge: judgeRole(definition) },
  };
}

function rulesOf({ populationSize, cullRate }: PoolRules): PoolRules {
  return { populationSize, cullRate };
}

function memberRole(definition: PatternDefinition): Role {
  const { judge } = seatsOf(definition);
  const isExtracted = definition.functions?.includes("fitnessExtractor") === true;
  const params = { ...sizesOf(definition), judge: isExtracted ? "A function" : judge };
  return {
    marker: params.judge === undefined ? "FITNESS" : "DONE",
    convention: (facts) => renderConvention(poolMemberConvention, { ...facts, ...params }),
  };
}

function judgeRole(definition: PatternDefinition): Role {
  const sizes = sizesOf(definition);
  return {
    marker: "FITNESS",
    convention: (facts) => renderConvention(poolJudgeConvention, { ...facts, ...sizes }),
  };
}

function sizesOf({
  options,
}: PatternDefinition): Pick<PoolMemberParams, "size" | "maxGenerations"> {
  const { populationSize: size, maxGenerations } = givenIn({ options });
  return { size, maxGenerations };
}

function givenIn({ options }: Pick<PatternDefinition, "options">) {
  const { populationSize, cullRate, maxGenerations, ...rest } = block.parse(options);
  return {
    ...rest,
    populationSize: populationSize ?? DEFAULTS.populationSize,
    cullRate: cullRate ?? DEFAULTS.cullRate,
    maxGenerations: maxGenerations ?? DEFAULTS.maxGenerations,
  };
}

const notes = {
  fitness: z.object({ generation: z.number(), agent: z.string(), fitness: z.number() }),
  generation: z.object({
    generation: z.number(),
    best: z.string().nullable(),
    fitness: z.number().nullable(),
    population: z.array(z.string()),
  }),
};

function metadata(
  _definition: PatternDefinition,
  advances: readonly PatternAdvance[],
): ReturnType<TalkPattern["metadata"]> {
  const ofKind = (wanted: string) =>
    advances.flatMap(({ kind, data }) => (kind === wanted ? [data] : []));
  const members = ofKind("fitness").map((data) => notes.fitness.parse(data));
  const last = ofKind("generation")
    .map((data) => notes.generation.parse(data))
    .at(-1);
  const names = last?.population ?? [];
  return {
    bestAgent: last?.best ?? null,
    bestFitness: last?.fitness ?? null,
    generations: last === undefined ? 0 : last.generation + 1,
    population: members
      .filter(({ agent }) => names.includes(agent))
      .map(({ agent: name, fitness, generation }) => ({ name, fitness, generation })),
  };
}

function check(definition: PatternDefinition): readonly PatternFault[] {
  const { steps, agents } = definition;
  const given = givenIn(definition);
  const crew = crewOf(agents);
  const seats = seatsOf(definition);
  const faults: PatternFault[] = [
    ...(steps.length === 0 ? [] : [{ problem: "a pool has no steps", hint: "remove steps" }]),
    ...faultsOfNames("agent", given.agent === undefined ? [] : [given.agent], crew),
    ...faultsOfNames("judge", given.judge === undefined ? [] : [given.judge], crew),
    ...faultsOfSeats(given, seats, crew),
    ...faultsOfMutation(given.mutate),
    ...faultsOfFunctions(given, definition.functions ?? []),
  ];
  if (given.maxGenerations > 1 && culledCount(rulesOf(given)) === 0)
    faults.push({
      ...present({ key: given.cullRate === DEFAULTS.cullRate ? undefined : "cullRate" }),
      problem: `a cullRate of ${given.cullRate} lets nobody go of ${count(given.populationSize, "member")}, so all generations are the same`,
      hint: "raise cullRate or populationSize, or write maxGenerations: 1",
    });
  return faults;
}

function faultsOfSeats(
  given: { readonly agent?: string | undefined },
  { agent, judge }: ReturnType<typeof seatsOf>,
  crew: readonly AgentSpec[],
): readonly PatternFault[] {
  if (judge !== undefined && judge === agent)
    return [{ key: "judge", problem: `${judge} would judge itself`, hint: "name another agent" }];
  const others = crew.filter(({ id }) => id !== judge);
  if (given.agent === undefined && others.length !== 1)
    return [
      {
        problem: `a pool is made of one agent, and there are ${others.length}`,
        hint: "name it: agent",
      },
    ];
  const first = memberName(agent, 0, 0).slice(0, -1).toLowerCase();
  return crew
    .filter(({ id }) => id.toLowerCase().startsWith(first))
    .map(({ id }) => ({ agent: id, problem: `members of the pool have such ids as ${id}` }));
}

function faultsOfFunctions(
  { judge, mutate }: Pick<z.infer<typeof block>, "judge" | "mutate">,
  functions: readonly PatternFunctionName[],
): readonly PatternFault[] {
  const both = [
    { key: "judge", given: judge, name: "fitnessExtractor" },
    { key: "mutate", given: mutate, name: "mutateTask" },
  ] as const;
  return both.flatMap(({ key, given, name }) =>
    given !== undefined && functions.includes(name)
      ? [{ key, problem: `${key} and ${name} do the same`, hint: "take one of them out" }]
      : [],
  );
}

function faultsOfMutation(mutate: string | undefined): readonly PatternFault[] {
  if (mutate === undefined) return [];
  const names = [...mutate.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].map(([, name = ""]) => name);
  const unknown = names.find((name) => name !== "parent" && name !== "generation");
  if (unknown !== undefined) {
    const problem = `mutate uses {{${unknown}}}`;
    return [{ key: "mutate", problem, hint: "it knows {{parent}} and {{generation}}" }];
  }
  if (names.filter((name) => name === "parent").length > 1)
    return [
      {
        key: "mutate",
        problem: "mutate has {{parent}} more than once",
        hint: "write it once: tasks would double in length with each generation",
      },
    ];
  return [];
}
