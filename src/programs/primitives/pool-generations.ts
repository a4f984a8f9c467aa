import type { Random } from "../../foundation/random.ts";

// Who of a population lives on, and whose children come next. Pure (PRM-pool).

/** An individual of a population. */
export interface PoolMember {
  readonly name: string;
  /** Higher is better. */
  readonly fitness: number;
  /** In which it was born, from 0. */
  readonly generation: number;
}

/** Those that may be born next: of whom, the first parent leading. */
export interface PoolChild {
  readonly name: string;
  readonly generation: number;
  readonly parents: readonly string[];
  /** Template of the task that it was taken in with; undefined for those that are bred. */
  readonly task?: string;
}

/** What somebody tells a pool while it goes on, in a message that begins so. */
export type PoolOrder =
  | { readonly kind: "inject"; readonly task: string }
  | { readonly kind: "halt"; readonly reason: string };

/** `INJECT: <task>` takes a member in, `HALT: <why>` ends the pool; undefined for all other messages. */
export function poolOrderIn(message: string): PoolOrder | undefined {
  const [, word, rest = ""] = /^\s*(INJECT|HALT)(?:[:\s]([\s\S]*))?$/.exec(message) ?? [];
  if (word === "INJECT") return { kind: "inject", task: rest.trim() };
  return word === undefined ? undefined : { kind: "halt", reason: rest.trim() };
}

/** How a population changes from one generation to the next. */
export interface PoolRules {
  readonly populationSize: number;
  /** Share of the population that goes in each generation, from 0 to 1. */
  readonly cullRate: number;
}

/** What children are made of. */
export interface Breeding {
  readonly agent: string;
  readonly generation: number;
  readonly count: number;
  /** Whether a child has a second parent, where there is another one. */
  readonly crossover: boolean;
}

/** The fittest first; of equals the one that stood earlier. */
export function rankMembers<Each extends PoolMember>(members: readonly Each[]): readonly Each[] {
  return members.toSorted((left, right) => right.fitness - left.fitness);
}

/** How many go in each generation; one at least stays. */
export function culledCount({ populationSize, cullRate }: PoolRules): number {
  return Math.min(Math.floor(populationSize * cullRate + ROUNDING), populationSize - 1);
}

/** Those that stay, the fittest first: whoever has died leaves its place to others, and counts as culled. */
export function survivorsOf<Each extends PoolMember>(
  members: readonly Each[],
  rules: PoolRules,
): readonly Each[] {
  return rankMembers(members).slice(0, rules.populationSize - culledCount(rules));
}

/** The first generation: nobody's children. */
export function founders(agent: string, { populationSize }: PoolRules): readonly PoolChild[] {
  return Array.from({ length: populationSize }, (_, index) => ({
    name: memberName(agent, 0, index),
    generation: 0,
    parents: [],
  }));
}

/**
 * Children of those that stay. Each parent is the fitter of two that are drawn by lot, so that the fit have more
 * children and the others some. The same numbers draw the same parents.
 */
export function breed(
  survivors: readonly PoolMember[],
  { agent, generation, count, crossover }: Breeding,
  draw: Random,
): readonly PoolChild[] {
  return Array.from({ length: count }, (_, index) => {
    const first = drawFitter(survivors, draw);
    const others = survivors.filter(({ name }) => name !== first?.name);
    const second = crossover ? drawFitter(others, draw) : undefined;
    const parents = [first, second].flatMap((parent) => (parent === undefined ? [] : parent.name));
    return { name: memberName(agent, generation, index), generation, parents };
  });
}

/** Those that are taken in for tasks of their own, after as many others of their generation. */
export function injected(
  tasks: readonly string[],
  { agent, generation, after }: { agent: string; generation: number; after: number },
): readonly PoolChild[] {
  return tasks.map((task, index) => ({
    name: memberName(agent, generation, after + index),
    ...{ generation, task, parents: [] },
  }));
}

/** `dev-g1-0`: the first that was born in the second generation. */
export function memberName(agent: string, generation: number, index: number): string {
  return `${agent}-g${generation}-${index}`;
}

// People write 0.3 and mean 3 of 10.
const ROUNDING = 1e-9;

function drawFitter(members: readonly PoolMember[], draw: Random): PoolMember | undefined {
  const at = () => members[Math.floor(draw() * members.length)];
  const drawn = [at(), at()].flatMap((member) => (member === undefined ? [] : [member]));
  return rankMembers(drawn)[0];
}
