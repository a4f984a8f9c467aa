import type { Random } from "../../../src/foundation/random.ts";
import { Trail } from "../../../src/messaging/trails/trail.ts";
import { BERLIN52, lengthOf, SHORTEST, wayBetween } from "../berlin52.ts";
import { type Experiment, type Line, lawLine } from "../experiment.ts";
import { type Interval, meanOf } from "../interval.ts";

const ANTS = 20;
const ROUNDS = 150;
const TRIES = 8;
const COUNT = BERLIN52.length;
/** How much marks and nearness count (Dorigo, Maniezzo and Colorni 1996). */
const ALPHA = 1;
const BETA = 5;
/** What the best tour so far counts for beside that of each ant. */
const ELITE = 10;
const DECAY = 0.3;
const SHOWN = [1, 2, 5, 10, 20, 40, 70, 100, 150];

/** Whether agents that only leave marks find a short way. */
export const ants: Experiment = {
  name: "ants",
  title: "A short tour by marks alone",
  law: "Ants that prefer near places and strong marks, and leave marks on short tours, find tours close to the shortest one: berlin52, 7542.",
  source: "Dorigo, Maniezzo and Colorni 1996; TSPLIB (Reinelt 1991)",
  played:
    "Twenty ants for 150 rounds, a round a second of the clock of the marks. Marks are those of `stigmergy`: additive, 30 percent gone in a second. An ant knows distances and marks, and tells nobody anything.",
  run: async (lab) => {
    const draw = lab.draw("ants");
    const searches = Array.from({ length: lab.tries(TRIES) }, () => search(draw));
    const within = (round: number): Interval =>
      meanOf(searches.map((best) => percentOver(best[round - 1] ?? Number.NaN)));
    const found: Line = {
      label: "best tour so far",
      points: SHOWN.map((round) => ({ x: round, ...within(round) })),
      isLaw: false,
    };
    const last = within(ROUNDS);
    const worst = Math.max(...searches.map((best) => percentOver(best.at(-1) ?? Number.NaN)));
    return {
      plot: {
        x: { label: "round", type: "log" },
        y: { label: "percent above the shortest tour" },
        lines: [found, lawLine("5 percent", SHOWN, () => 5)],
      },
      claims: [
        {
          what: "percent above the shortest tour, in the mean",
          published: "at most 5",
          ...{ found: last, digits: 2, holds: last.high <= 5 },
        },
        {
          what: `the worst of ${searches.length} searches`,
          published: "at most 5",
          ...{ found: { value: worst, low: worst, high: worst }, digits: 2, holds: worst <= 5 },
        },
      ],
    };
  },
};

function percentOver(length: number): number {
  return 100 * (length / SHORTEST - 1);
}

/** The length of the best tour after each round. */
function search(draw: Random): readonly number[] {
  const trail = new Trail({ decayRate: DECAY, minThreshold: 1e-9, reinforcement: "additive" });
  let best: readonly number[] = [];
  const lengths: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const nowMs = round * 1000;
    const pull = pullOf(trail, nowMs);
    const tours = Array.from({ length: ANTS }, () => walk(pull, draw));
    for (const tour of tours) if (best.length === 0 || lengthOf(tour) < lengthOf(best)) best = tour;
    for (const tour of tours) leave(trail, { tour, weight: 1, atMs: nowMs });
    leave(trail, { tour: best, weight: ELITE, atMs: nowMs });
    lengths.push(lengthOf(best));
  }
  return lengths;
}

/** How much an ant is drawn from each place to each other one. */
function pullOf(trail: Trail, nowMs: number): readonly (readonly number[])[] {
  const places = BERLIN52.map((_, place) => place);
  return places.map((from) =>
    places.map((to) => {
      if (from === to) return 0;
      const mark = trail.read(keyOf(from, to), nowMs) + FAINT;
      return mark ** ALPHA * (1 / wayBetween(from, to)) ** BETA;
    }),
  );
}

/** Where nobody went yet an ant may go all the same. */
const FAINT = 1e-4;

function walk(pull: readonly (readonly number[])[], draw: Random): readonly number[] {
  const first = Math.floor(draw() * COUNT);
  const tour = [first];
  const left = new Set(BERLIN52.keys());
  left.delete(first);
  let here = first;
  while (left.size > 0) {
    here = next(pull[here] ?? [], left, draw);
    left.delete(here);
    tour.push(here);
  }
  return tour;
}

function next(pull: readonly number[], left: ReadonlySet<number>, draw: Random): number {
  let sum = 0;
  for (const place of left) sum += pull[place] ?? 0;
  let rest = draw() * sum;
  let last = 0;
  for (const place of left) {
    last = place;
    rest -= pull[place] ?? 0;
    if (rest < 0) break;
  }
  return last;
}

interface Walked {
  readonly tour: readonly number[];
  readonly weight: number;
  readonly atMs: number;
}

function leave(trail: Trail, { tour, weight, atMs }: Walked): void {
  const value = (weight * 100) / lengthOf(tour);
  for (const [index, place] of tour.entries()) {
    const key = keyOf(place, tour[(index + 1) % tour.length] ?? 0);
    trail.deposit({ key, value, agent: "ant", atMs });
  }
}

function keyOf(from: number, to: number): string {
  return from < to ? `${from}-${to}` : `${to}-${from}`;
}
