import type { AgentSpec } from "../../contracts/agent.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";
import {
  breed,
  founders,
  type PoolChild,
  type PoolMember,
  type PoolRules,
  rankMembers,
  survivorsOf,
} from "../primitives/pool-generations.ts";
import { fitnessIn } from "../primitives/pruner.ts";
import { plainSignal } from "./plain-answer.ts";
import type { Said, Talk } from "./talk.ts";
import type { Role, TurnCall } from "./talk-turn.ts";

/** What evolving came to. */
type Evolved = Omit<ProgramResult, "metadata">;

/** A pool as it is to be carried out. */
export interface PoolPlan {
  /** Whose copies the members are. */
  readonly template: AgentSpec;
  /** Who says how good answers are; undefined when each says it itself. */
  readonly judge: string | undefined;
  readonly rules: PoolRules;
  readonly maxGenerations: number;
  readonly targetFitness: number | undefined;
  readonly crossover: boolean;
  /** Template of what the first generation does. */
  readonly task: string;
  /** What makes the task of a child of that of its parent; undefined: they are the same. */
  readonly mutate: string | undefined;
  readonly roles: { readonly member: Role; readonly judge: Role };
}

/** A member that has answered. */
interface Living extends PoolMember {
  readonly answer: string;
  /** Template of its task. */
  readonly task: string;
}

/** Most that a child is told of the answer of a parent, and a judge of one. */
const MAX_ANSWER_CHARS = 65_536;

/** Lets generation after generation answer, until one answer is good enough or there may be no further one. */
export async function evolve(talk: Talk, plan: PoolPlan): Promise<Evolved> {
  const { rules, maxGenerations, targetFitness = Infinity, crossover } = plan;
  const agent = plan.template.id;
  let population: readonly Living[] = [];
  let children: readonly PoolChild[] = founders(agent, rules);
  for (let generation = 0; ; generation += 1) {
    const born = await live(talk, plan, { children, parents: population });
    population = rankMembers([...population, ...born]);
    const [best] = population;
    talk.advance("generation", {
      generation,
      best: best?.name ?? null,
      fitness: best?.fitness ?? null,
      population: population.map(({ name }) => name),
    });
    if (best === undefined) return nobody(talk);
    const isLast = generation + 1 === maxGenerations;
    if (
      isLast ||
      best.fitness >= targetFitness ||
      talk.broken !== undefined ||
      isUnjudged(talk, plan)
    )
      return close(talk, plan, best);
    population = survivorsOf(population, rules);
    const next = generation + 1;
    const missing = rules.populationSize - population.length;
    children = breed(population, { agent, generation: next, count: missing, crossover }, () =>
      talk.context.random(),
    );
  }
}

interface Brood {
  readonly children: readonly PoolChild[];
  readonly parents: readonly Living[];
}

/** Those of the children that have answered, in their order, each with its fitness. */
async function live(
  talk: Talk,
  plan: PoolPlan,
  { children, parents }: Brood,
): Promise<readonly Living[]> {
  const calls: TurnCall[] = [];
  const tasks = new Map<string, string>();
  for (const child of children) {
    const own = child.parents.flatMap(
      (name) => parents.find((parent) => parent.name === name) ?? [],
    );
    const task = taskOf(plan, child, own[0]);
    tasks.set(child.name, task);
    await talk.team.admit(copyFor(plan, child, task));
    calls.push(memberCall(plan, child, own));
  }
  const said = await talk.turns(calls);
  const living: Living[] = [];
  for (const { name, generation, parents: of } of children) {
    const turn = said.get(name);
    if (turn?.status !== "said") continue;
    const answer = plan.judge === undefined ? turn.text : turn.output;
    const judged =
      plan.judge === undefined ? turn : await judge(talk, plan, { name, generation, answer });
    if (judged === undefined) break;
    const fitness = fitnessIn(judged.signals) ?? 0;
    talk.advance("fitness", { generation, agent: name, fitness, parents: [...of] });
    living.push({ name, generation, fitness, answer, task: tasks.get(name) ?? "" });
  }
  return living;
}

function taskOf({ task, mutate }: PoolPlan, child: PoolChild, parent: Living | undefined): string {
  if (parent === undefined || mutate === undefined) return parent?.task ?? task;
  return mutate
    .replace(/\{\{\s*generation\s*\}\}/g, () => String(child.generation))
    .replace(/\{\{\s*parent\s*\}\}/g, () => parent.task);
}

function copyFor({ template }: PoolPlan, { name }: PoolChild, task: string): AgentSpec {
  return { ...template, id: name, name, copyOf: template.id, task };
}

function memberCall(
  { judge: judging, roles, rules }: PoolPlan,
  { name, generation }: PoolChild,
  parents: readonly Living[],
): TurnCall {
  const kind = judging === undefined ? "fitness" : "done";
  const form = judging === undefined ? "FITNESS: <number>" : "DONE: <your answer>";
  const rest =
    judging === undefined
      ? "Answer, and end with a line `FITNESS: <number>`."
      : "Answer with a line `DONE: <your answer>`.";
  const made =
    parents.length === 0
      ? `One of ${count(rules.populationSize, "member")}.`
      : `Generation ${generation}. ${parents.length === 1 ? "An answer that was among the best is above: make a better one of it." : "Two answers that were among the best are above: make a better one of both."}`;
  return {
    agent: name,
    role: roles.member,
    now: `${made} ${rest}`,
    blocks: parents.map((parent) => ({
      label: `answer of ${parent.name}, fitness ${parent.fitness}`,
      text: clip(parent.answer),
    })),
    demand: {
      kinds: [kind],
      form,
      plain: kind === "done" ? plainSignal("done") : () => undefined,
      ...(kind === "done" ? {} : { isEnough: async () => true }),
    },
    announce: "none",
    isFresh: true,
  };
}

/** What the judge says of an answer; undefined when it says nothing any more. */
async function judge(
  talk: Talk,
  { judge: agent = "", roles }: PoolPlan,
  { name, generation, answer }: Pick<Living, "name" | "generation" | "answer">,
): Promise<Extract<Said, { status: "said" }> | undefined> {
  if (!talk.isIn(agent) || talk.broken !== undefined) return undefined;
  const block: DataBlock = { label: `answer of ${name}`, text: clip(answer) };
  const said = await talk.turn({
    agent,
    role: roles.judge,
    now: `Generation ${generation}. How good is the answer above? Answer with a line \`FITNESS: <number> <why>\`.`,
    blocks: [block],
    demand: {
      kinds: ["fitness"],
      form: "FITNESS: <number> <why>",
      plain: () => undefined,
      isEnough: async () => true,
    },
    announce: "none",
  });
  return said?.status === "said" ? said : undefined;
}

function isUnjudged(talk: Talk, { judge: agent }: PoolPlan): boolean {
  return agent !== undefined && !talk.isIn(agent);
}

function nobody(talk: Talk): Evolved {
  if (talk.broken !== undefined) return { outcome: "limit-reached", reason: talk.broken };
  const [error] = [...talk.left.values()].reverse();
  const reason = `no member has answered: ${error?.message ?? "nobody was asked"}`;
  return { outcome: "failed", reason, ...present({ error }) };
}

/** The best answer stands; without the judge nobody could say that it is. */
function close(talk: Talk, plan: PoolPlan, { name, fitness, answer }: Living): Evolved {
  const { targetFitness, judge: agent = "" } = plan;
  const error = isUnjudged(talk, plan) ? talk.left.get(agent) : undefined;
  if (error !== undefined)
    return { outcome: "failed", reason: `${agent} judges no more: ${error.message}`, error };
  const best = `the answer of ${name} is the best (fitness ${fitness})`;
  const isEnough = targetFitness === undefined || fitness >= targetFitness;
  if (isEnough && talk.broken === undefined)
    return { outcome: "completed", reason: best, output: answer };
  const why = talk.broken ?? `no fitness of ${targetFitness} after all generations`;
  return { outcome: "limit-reached", reason: `${why}; ${best}`, output: answer };
}

function clip(text: string): string {
  return text.length > MAX_ANSWER_CHARS
    ? `${text.slice(0, MAX_ANSWER_CHARS).toWellFormed()}… (cut here)`
    : text;
}
