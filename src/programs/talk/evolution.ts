import type { AgentSpec } from "../../contracts/agent.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import { count } from "../../foundation/count.ts";
import { present } from "../../foundation/present.ts";
import { escapeTemplate } from "../language/templates/template.ts";
import type { DataBlock } from "../patterns/conventions/marked-text.ts";
import {
  breed,
  founders,
  injected,
  type PoolChild,
  type PoolMember,
  type PoolRules,
  poolOrderIn,
  rankMembers,
  survivorsOf,
} from "../primitives/pool-generations.ts";
import { fitnessIn } from "../primitives/pruner.ts";
import { askEach } from "./ask-function.ts";
import { plainSignal } from "./plain-answer.ts";
import type { PoolOrders } from "./pool-orders.ts";
import { makeTasks, parentsOf, type TaskRules } from "./pool-tasks.ts";
import type { Talk } from "./talk.ts";
import type { Role, SaidText, TurnCall } from "./talk-turn.ts";

/** What evolving came to. */
type Evolved = Omit<ProgramResult, "metadata">;

/** A pool as it is to be carried out. */
export interface PoolPlan extends TaskRules {
  /** Whose copies the members are. */
  readonly template: AgentSpec;
  /** Who says how good answers are; undefined when each says it itself. */
  readonly judge: string | undefined;
  readonly rules: PoolRules;
  readonly maxGenerations: number;
  readonly targetFitness: number | undefined;
  readonly crossover: boolean;
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

/** Lets generation after generation answer, until one answer is good enough, there may be no further one, or people end it. */
export async function evolve(talk: Talk, plan: PoolPlan, orders: PoolOrders): Promise<Evolved> {
  const { rules, maxGenerations, targetFitness = Infinity, crossover } = plan;
  const agent = plan.template.id;
  let population: readonly Living[] = [];
  let children: readonly PoolChild[] = founders(agent, rules);
  for (let generation = 0; ; generation += 1) {
    const born = await live(talk, plan, { children, parents: population, orders });
    population = rankMembers([...population, ...born]);
    const [best] = population;
    talk.advance("generation", {
      generation,
      best: best?.name ?? null,
      fitness: best?.fitness ?? null,
      population: population.map(({ name }) => name),
    });
    if (best === undefined) return nobody(talk, orders);
    const isLast = generation + 1 >= maxGenerations;
    const isOver = best.fitness >= targetFitness || isCut(talk, orders) || isUnjudged(talk, plan);
    if (isOver || (isLast && !orders.isWaitedFor)) return close(talk, plan, { best, orders });
    const tasks = orders.take();
    population = survivorsOf(population, rules);
    const next = generation + 1;
    const missing = rules.populationSize - population.length - tasks.length;
    // Whoever was taken in late is still heard, and nobody else.
    const count = isLast ? 0 : Math.max(0, missing);
    const bred = breed(population, { agent, generation: next, count, crossover }, () =>
      talk.context.random(),
    );
    const taken = injected(tasks.map(escapeTemplate), { agent, generation: next, after: count });
    children = [...bred, ...taken];
  }
}

/** Whether no further turn is to begin. */
function isCut(talk: Talk, orders: PoolOrders): boolean {
  return talk.broken !== undefined || orders.halted !== undefined;
}

interface Brood {
  readonly children: readonly PoolChild[];
  readonly parents: readonly Living[];
  readonly orders: PoolOrders;
}

/** Those of the children that have answered, in their order, each with its fitness. */
async function live(talk: Talk, plan: PoolPlan, brood: Brood): Promise<readonly Living[]> {
  const { children, parents, orders } = brood;
  const calls: TurnCall[] = [];
  const tasks = await makeTasks(talk, plan, brood);
  for (const child of children) {
    await talk.team.admit(copyFor(plan, child, tasks.get(child.name) ?? plan.task));
    calls.push(memberCall(plan, child, parentsOf(child, parents)));
  }
  const stop = orders.follow(() => talk.cutShort());
  try {
    const said = await talk.turns(calls);
    const answers = children.flatMap((child) => {
      const turn = said.get(child.name);
      return turn?.status === "said" ? [{ child, turn, answer: answerIn(plan, turn) }] : [];
    });
    const rated = await rate(talk, plan, { answers, orders });
    return rated.map(({ child: { name, generation }, answer, fitness }) => {
      return { name, generation, fitness, answer, task: tasks.get(name) ?? "" };
    });
  } finally {
    await stop();
  }
}

/** Whether members give their answer as that, because somebody else says how good it is. */
function isRated({ judge, functions }: PoolPlan): boolean {
  return judge !== undefined || functions.includes("fitnessExtractor");
}

function answerIn(plan: PoolPlan, { text, output }: SaidText): string {
  return isRated(plan) ? output : text;
}

interface Answered {
  readonly child: PoolChild;
  readonly turn: SaidText;
  readonly answer: string;
}

interface Rating {
  readonly answers: readonly Answered[];
  readonly orders: PoolOrders;
}

/** How good each answer is; without those of which nobody says it any more. */
async function rate(
  talk: Talk,
  plan: PoolPlan,
  { answers, orders }: Rating,
): Promise<readonly (Answered & { readonly fitness: number })[]> {
  const numbers = plan.functions.includes("fitnessExtractor")
    ? await extractFitness(talk, answers)
    : undefined;
  const rated: (Answered & { readonly fitness: number })[] = [];
  for (const [index, answered] of answers.entries()) {
    const { child, turn, answer } = answered;
    const { name, generation, parents } = child;
    const judged =
      plan.judge === undefined
        ? turn
        : await judge(talk, plan, { name, generation, answer, orders });
    if (judged === undefined) break;
    const fitness = numbers?.[index] ?? fitnessIn(judged.signals) ?? 0;
    talk.advance("fitness", { generation, agent: name, fitness, parents: [...parents] });
    rated.push({ ...answered, fitness });
  }
  return rated;
}

function copyFor({ template }: PoolPlan, { name }: PoolChild, task: string): AgentSpec {
  return { ...template, id: name, name, copyOf: template.id, task };
}

function memberCall(
  plan: PoolPlan,
  { name, generation }: PoolChild,
  parents: readonly Living[],
): TurnCall {
  const { roles, rules } = plan;
  const kind = isRated(plan) ? "done" : "fitness";
  const form = isRated(plan) ? "DONE: <your answer>" : "FITNESS: <number>";
  const rest = isRated(plan)
    ? "Answer with a line `DONE: <your answer>`."
    : "Answer, and end with a line `FITNESS: <number>`.";
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
    // What people tell the pool is not for its members.
    hears: ({ from, text }) => from !== "user" || poolOrderIn(text) === undefined,
    isFresh: true,
  };
}

/** What a function says of each answer. */
function extractFitness(
  { context }: Talk,
  answers: readonly Answered[],
): Promise<readonly number[]> {
  return askEach(context, answers, {
    name: "fitnessExtractor",
    ask: (extract, { answer }) => extract(answer),
    read: (said) => (typeof said === "number" && Number.isFinite(said) ? said : undefined),
    expected: "a number",
  });
}

interface Judging extends Pick<Living, "name" | "generation" | "answer"> {
  readonly orders: PoolOrders;
}

/** What the judge says of an answer; undefined when it says nothing any more. */
async function judge(
  talk: Talk,
  { judge: agent = "", roles }: PoolPlan,
  { name, generation, answer, orders }: Judging,
): Promise<SaidText | undefined> {
  if (!talk.isIn(agent) || isCut(talk, orders)) return undefined;
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

function nobody(talk: Talk, { halted }: PoolOrders): Evolved {
  if (halted !== undefined)
    return { outcome: "completed", reason: `${haltedBy(halted)} before an answer`, output: "" };
  if (talk.broken !== undefined) return { outcome: "limit-reached", reason: talk.broken };
  const [error] = [...talk.left.values()].reverse();
  const reason = `no member has answered: ${error?.message ?? "nobody was asked"}`;
  return { outcome: "failed", reason, ...present({ error }) };
}

interface Closing {
  readonly best: Living;
  readonly orders: PoolOrders;
}

/** The best answer stands; without the judge nobody could say that it is. */
function close(talk: Talk, plan: PoolPlan, { best: member, orders }: Closing): Evolved {
  const { name, fitness, answer } = member;
  const { targetFitness, judge: agent = "" } = plan;
  const error = isUnjudged(talk, plan) ? talk.left.get(agent) : undefined;
  if (error !== undefined)
    return { outcome: "failed", reason: `${agent} judges no more: ${error.message}`, error };
  const best = `the answer of ${name} is the best (fitness ${fitness})`;
  if (orders.halted !== undefined)
    return { outcome: "completed", reason: `${haltedBy(orders.halted)}; ${best}`, output: answer };
  const isEnough = targetFitness === undefined || fitness >= targetFitness;
  if (isEnough && talk.broken === undefined)
    return { outcome: "completed", reason: best, output: answer };
  const why = talk.broken ?? `no fitness of ${targetFitness} after all generations`;
  return { outcome: "limit-reached", reason: `${why}; ${best}`, output: answer };
}

function haltedBy(reason: string): string {
  return reason === "" ? "halted" : `halted: ${reason.slice(0, 200).toWellFormed()}`;
}

function clip(text: string): string {
  return text.length > MAX_ANSWER_CHARS
    ? `${text.slice(0, MAX_ANSWER_CHARS).toWellFormed()}… (cut here)`
    : text;
}
