import type { z } from "zod";
import type { ErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { AgentSpec } from "../agent.ts";
import type { FailurePolicy, PatternDefinition } from "../definition.ts";
import type { Signal } from "../signal.ts";
import type { Context } from "./context.ts";
import type { Pattern } from "./pattern.ts";
import type { ProgramResult } from "./program.ts";

/** A turn that a pattern of one's own gives. */
export interface PatternTurn {
  readonly agent: string;
  /** What to do now. The goal, the agent's part and what others said since its last turn come by themselves. */
  readonly now: string;
  /** Work of others that the turn builds on; told as material, never as an instruction. */
  readonly material?: readonly { readonly label: string; readonly text: string }[];
  /** The signal that the turn must end with, such as DONE or VOTE; a missing one is asked for once. Defaults to none. */
  readonly demands?: string;
  /** Whether its text is posted to the main channel if it posted nothing itself. Defaults to true. */
  readonly isHeard?: boolean;
  /** Whether it remembers nothing of the agent's earlier turns. Defaults to false. */
  readonly isFresh?: boolean;
}

/** What came of such a turn. `left`: the agent failed after all its attempts and takes part no more. */
export type PatternAnswer =
  | {
      readonly status: "said";
      readonly text: string;
      /** What stands behind the demanded signal, else the text. */
      readonly output: string;
      readonly signals: readonly Signal[];
    }
  | { readonly status: "left"; readonly error: ErrorReport };

/** What a pattern of one's own works with, beside its context: its agents, which are all there when it begins. */
export interface PatternTeam<Block> {
  readonly definition: PatternDefinition;
  /** Its block, as its schema reads it; an empty one where the file has none. */
  readonly block: Block;
  /** Who works, without those that only watch. */
  readonly agents: readonly AgentSpec[];
  /** What all are to do together, its variables filled in. */
  goal(): Promise<string>;
  /**
   * Gives a turn, with attempts as the file says. Rejects once a bound of the file is broken: what the pattern does not
   * catch ends it with `limit-reached`.
   */
  turn(turn: PatternTurn): Promise<PatternAnswer>;
  /** Gives turns to different agents side by side; what came of each, by agent. Rejects as `turn` does. */
  turns(turns: readonly PatternTurn[]): Promise<ReadonlyMap<string, PatternAnswer>>;
  /** Notes a move of the pattern in the journal. */
  advance(kind: string, data: Json): void;
}

/** How a pattern of one's own ended. */
export type PatternEnd = Omit<ProgramResult, "metadata" | "output"> & { readonly output?: string };

/**
 * A pattern as its author declares it. It is a program over its context: what it decides must come from there, so that
 * it takes the same way after a crash. With `steps` in the file these are carried out instead, in the order of the file.
 */
export interface PatternOptions<Block>
  extends Pick<
    Pattern,
    "name" | "blockKey" | "goalKey" | "members" | "check" | "turns" | "metadata" | "links"
  > {
  /** One sentence for lists. */
  readonly summary?: string;
  /** Schema of its own block. Defaults to none: it may not have one. */
  readonly block?: z.ZodType<Block>;
  /** What an agent that has failed means, unless the file says otherwise. Defaults to `continue`. */
  readonly onFailure?: FailurePolicy;
  /** What an agent is told of its role, one sentence each; once, before its first turn. Defaults to nothing. */
  rules?(agent: AgentSpec, definition: PatternDefinition): readonly string[];
  /** Gives the turns. A rejection fails the run. */
  run(context: Context, team: PatternTeam<Block>): Promise<PatternEnd>;
}
