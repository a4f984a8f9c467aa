import type { Experiment } from "./experiment.ts";
import { ants } from "./experiments/ants.ts";
import { auction } from "./experiments/auction.ts";
import { cascade } from "./experiments/cascade.ts";
import { debate } from "./experiments/debate.ts";
import { gossip } from "./experiments/gossip.ts";
import { pool } from "./experiments/pool.ts";
import { topology } from "./experiments/topology.ts";
import { voting } from "./experiments/voting.ts";

/** All experiments, in the order of the page. */
export const EXPERIMENTS: readonly Experiment[] = [
  voting,
  debate,
  cascade,
  topology,
  auction,
  gossip,
  ants,
  pool,
];
