import type { Random } from "../../../src/foundation/random.ts";
import { agreedState, drawPeers, newsFor } from "../../../src/programs/primitives/gossip-rounds.ts";
import { type Experiment, foundLine, lawLine } from "../experiment.ts";
import { type Interval, meanOf } from "../interval.ts";

const SIZES = [10, 30, 100, 300, 1000, 3000, 10_000];
const FANOUT = 2;
const TRIES = 30;

/** How news spreads among peers that each hear a few others. */
export const gossip: Experiment = {
  name: "gossip",
  title: "Rounds until all peers agree",
  law: "News that each of N peers hears from a few others, drawn by lot, has reached all after a number of rounds that grows as log N.",
  source: "Frieze and Grimmett 1985; Karp, Schindelhauer, Shenker and Vöcking 2000",
  played:
    "Every peer begins with a number of its own and keeps the highest that it hears; each hears two others in a round. Peers are drawn, and what is news is told, by the code of the pattern `gossip`.",
  run: async (lab) => {
    const found = new Map(
      SIZES.map((size) => {
        const draw = lab.draw(`gossip ${size}`);
        const rounds = Array.from({ length: lab.tries(TRIES) }, () => roundsOf(size, draw));
        return [size, meanOf(rounds)];
      }),
    );
    const { slope, offset } = fitted(found);
    const law = lawLine(
      "fitted to a + b log2 N",
      SIZES,
      (size) => offset + slope * Math.log2(size),
    );
    const step = growth(found, 1000, 10_000);
    const before = growth(found, 100, 1000);
    const difference = {
      value: step.value - before.value,
      low: step.low - before.high,
      high: step.high - before.low,
    };
    return {
      plot: {
        x: { label: "peers", type: "log" },
        y: { label: "rounds" },
        lines: [foundLine(`${FANOUT} heard in a round`, found), law],
      },
      claims: [
        {
          what: "rounds more for ten times the peers, from 1,000 to 10,000 less from 100 to 1,000",
          published: "0: each factor costs the same",
          found: difference,
          digits: 2,
          holds: difference.low <= 0 && 0 <= difference.high,
        },
        {
          what: "rounds of 10,000 peers, over log2 N",
          published: "bounded: at most 2",
          found: ratio(found.get(10_000), Math.log2(10_000)),
          digits: 2,
          holds: ratio(found.get(10_000), Math.log2(10_000)).high <= 2,
        },
      ],
    };
  },
};

function roundsOf(size: number, draw: Random): number {
  const peers = Array.from({ length: size }, (_, index) => `p${index}`);
  let states = new Map(peers.map((peer, index) => [peer, String(index)]));
  for (let round = 1; ; round += 1) {
    const heard = drawPeers(peers, FANOUT, draw);
    const next = new Map(states);
    for (const peer of peers) {
      const news = newsFor(peer, heard.get(peer) ?? [], states).map((other) => states.get(other));
      const known = [states.get(peer), ...news].map(Number);
      next.set(peer, String(Math.max(...known)));
    }
    states = next;
    if (agreedState(peers, states) !== undefined) return round;
  }
}

function growth(found: ReadonlyMap<number, Interval>, from: number, to: number): Interval {
  const [few, many] = [found.get(from), found.get(to)];
  if (few === undefined || many === undefined) throw new Error("that size is not measured");
  return { value: many.value - few.value, low: many.low - few.high, high: many.high - few.low };
}

function ratio(found: Interval | undefined, by: number): Interval {
  if (found === undefined) throw new Error("that size is not measured");
  return { value: found.value / by, low: found.low / by, high: found.high / by };
}

/** Least squares over log2 of the sizes. */
function fitted(found: ReadonlyMap<number, Interval>): {
  readonly slope: number;
  readonly offset: number;
} {
  const points = [...found].map(([size, { value }]) => ({ x: Math.log2(size), y: value }));
  const mean = (of: (point: { readonly x: number; readonly y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const slope =
    mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2);
  return { slope, offset: y - slope * x };
}
