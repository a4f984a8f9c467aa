import type { Random } from "../../../src/foundation/random.ts";
import {
  breed,
  culledCount,
  type PoolMember,
  survivorsOf,
} from "../../../src/programs/primitives/pool-generations.ts";
import { type Experiment, foundLine, type Lab, lawLine } from "../experiment.ts";
import { agrees, type Interval, meanOf } from "../interval.ts";

const LENGTHS = [10, 20, 40, 80, 160];
const TRIES = 300;
const RULES = { populationSize: 2, cullRate: 0.5 };

/** How long a population of answers needs to the best one. */
export const pool: Experiment = {
  name: "pool",
  title: "Better answers of the best ones",
  law: "One answer and its mutated child, of which the better lives on, reach the best of n bits (OneMax) after e n ln n - 1.8925 n + (e/2) ln n + 0.5979 children in the mean.",
  source: "Droste, Jansen and Wegener 2002; Hwang, Panholzer, Rolin, Tsai and Chen 2018",
  played:
    "Members are rows of bits whose fitness is how many are set; a child has each bit of its parent, flipped with probability 1/n. Who lives on and whose child comes next is decided by the code of the pattern `pool`, with two members of which one goes.",
  run: async (lab) => {
    const found = new Map(LENGTHS.map((length) => [length, children(lab, length)]));
    const claims = LENGTHS.slice(1).map((length) => {
      const interval = found.get(length) ?? meanOf([]);
      const law = byLaw(length);
      return {
        what: `children until the best of ${length} bits`,
        published: law.toFixed(0),
        ...{ found: interval, digits: 0, holds: agrees(interval, law) },
      };
    });
    return {
      plot: {
        x: { label: "bits", type: "log" },
        y: { label: "children", type: "log" },
        lines: [foundLine("pool of two", found), lawLine("law", LENGTHS, byLaw)],
      },
      claims,
    };
  },
};

function byLaw(length: number): number {
  const log = Math.log(length);
  return Math.E * length * log - 1.89254 * length + (Math.E / 2) * log + 0.59789;
}

interface Bits extends PoolMember {
  readonly bits: readonly boolean[];
}

function children(lab: Lab, length: number): Interval {
  const draw = lab.draw(`pool ${length}`);
  return meanOf(Array.from({ length: lab.tries(TRIES) }, () => evolve(length, draw)));
}

/** How many children it took. The first answer is made by lot. */
function evolve(length: number, draw: Random): number {
  const first = Array.from({ length }, () => draw() < 0.5);
  let members: readonly Bits[] = [memberOf("first", 0, first)];
  for (let generation = 1; ; generation += 1) {
    if (members.some(({ fitness }) => fitness === length)) return generation - 1;
    const survivors = survivorsOf(members, RULES);
    const wanted = { agent: "bits", generation, count: culledCount(RULES), crossover: false };
    const born = breed(survivors, wanted, draw).map(({ name, parents }) => {
      const parent = survivors.find((member) => member.name === parents[0]);
      const bits = (parent?.bits ?? first).map((bit) => (draw() < 1 / length ? !bit : bit));
      return memberOf(name, generation, bits);
    });
    members = [...survivors, ...born];
  }
}

function memberOf(name: string, generation: number, bits: readonly boolean[]): Bits {
  return { name, generation, bits, fitness: bits.filter((bit) => bit).length };
}
