import type { WorkflowRun } from "../app/run/owner/workflow-run.ts";
import type { PatternAdvance } from "../contracts/ports/pattern.ts";
import { isJsonArray, isJsonObject, type Json } from "../foundation/json.ts";
import { poolTaskInvalid } from "../programs/errors.ts";
import type { PoolMember } from "../programs/primitives/pool-generations.ts";

/** What a pool came to. */
export interface Evolution {
  /** Null when nobody has answered. */
  readonly bestAgent: string | null;
  readonly bestFitness: number | null;
  readonly generations: number;
}

/** The run of a pool, and what can be done with it while it goes on. */
export interface AgentPool extends WorkflowRun {
  /** Resolves when the pool is over, as `result` does and rejects. */
  evolve(): Promise<Evolution>;
  /** Those that live and have answered so far, in the order in which they were rated. */
  getPopulation(): readonly PoolMember[];
  /**
   * Takes a member in with a task of its own, which is plain text: it is born with the next generation, also after the last one that
   * would have been. Resolves once that is durable. Rejects with POOL_TASK_INVALID, and with ENGINE_* errors when the run is over.
   */
  inject(task: string): Promise<void>;
  /** Cuts off whoever is at work; the best answer so far is the result. Resolves when the run is over. */
  halt(reason?: string): Promise<void>;
}

/** Most bytes of a task that a message carries as it is. */
const MAX_TASK_BYTES = 16_000;

/** The run of a pool with what can be done with it. */
export function toAgentPool(run: WorkflowRun): AgentPool {
  return Object.assign(run, {
    evolve: async () => evolutionIn((await run.result).metadata),
    getPopulation: () => populationIn(run.state.advances),
    inject: async (task: string) => {
      const sizeBytes = new TextEncoder().encode(task).length;
      if (task.trim() === "" || sizeBytes > MAX_TASK_BYTES)
        throw poolTaskInvalid({ sizeBytes, maxBytes: MAX_TASK_BYTES });
      await run.send(`INJECT: ${task}`);
    },
    halt: async (reason = "") => {
      await run.send(`HALT: ${reason}`);
      await run.parted;
    },
  });
}

function evolutionIn({ bestAgent, bestFitness, generations }: Fields): Evolution {
  return {
    bestAgent: typeof bestAgent === "string" ? bestAgent : null,
    bestFitness: typeof bestFitness === "number" ? bestFitness : null,
    generations: typeof generations === "number" ? generations : 0,
  };
}

/** Members of the last generation that is over, and those of the one that goes on. */
function populationIn(advances: readonly PatternAdvance[]): readonly PoolMember[] {
  const notes = (wanted: string) =>
    advances.flatMap(({ kind, data }) => (kind === wanted && isJsonObject(data) ? [data] : []));
  const last: Fields = notes("generation").at(-1) ?? {};
  const { generation: over = -1, population = [] } = last;
  return notes("fitness").flatMap(({ agent, fitness, generation }: Fields) => {
    if (typeof agent !== "string" || typeof fitness !== "number") return [];
    if (typeof generation !== "number") return [];
    const isAlive =
      generation > Number(over) || (isJsonArray(population) && population.includes(agent));
    return isAlive ? [{ name: agent, fitness, generation }] : [];
  });
}

interface Fields {
  readonly [key: string]: Json;
}
