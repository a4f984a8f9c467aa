import type { z } from "zod";
import type { Json } from "../../foundation/json.ts";
import type { AgentSpec } from "../agent.ts";
import type { FailurePolicy, PatternDefinition } from "../definition.ts";
import type { GraphEdge, WorkflowGraph } from "../graph.ts";
import type { PatternFunctionName } from "../pattern-functions.ts";
import type { Context } from "./context.ts";
import type { ProgramResult } from "./program.ts";

/** Something that is wrong with who takes part in a pattern, or with its block. */
export interface PatternFault {
  /** Id of the agent that it is about. */
  readonly agent?: string;
  /** Key of the block that it is about. */
  readonly key?: string;
  readonly problem: string;
  readonly hint?: string;
}

/** A move that a pattern has noted (PAT-events). */
export interface PatternAdvance {
  readonly kind: string;
  readonly data: Json;
}

/** A name that only one live run of a project may have. */
export interface NameClaim {
  /** What it names, for people: `team`. */
  readonly what: string;
  readonly name: string;
}

/** How many turns a pattern takes when nothing fails. */
export interface TurnEstimate {
  readonly least: number;
  /** Null when nothing bounds them. */
  readonly most: number | null;
  /** What the numbers are made of: `3 voters x (2 rounds + 1)`. */
  readonly basis: string;
}

/** Decides in code whether a task goes on to the agent of a route (PAT-handoff-2). */
export interface RouteTest {
  /** The name under which routes have it as `test`. */
  readonly name: string;
  /** Whether the text of a turn without DONE and HANDOFF is for that agent. Its answer is journaled: it is not asked again. */
  test(text: string): boolean | Promise<boolean>;
}

/** A way to organise agents (SPEC section 9). Adding one is a file and a line in the registry. */
export interface Pattern {
  readonly name: string;
  /** One sentence for lists. */
  readonly summary: string;
  /** Schema of the pattern's own block in a workflow file; absent when it has none. */
  readonly block?: z.ZodType;
  /** The key of that block. Defaults to the name in camelCase. */
  readonly blockKey?: string;
  /** The key of the block whose text is what the agents are to do together. Defaults to none: it is the run's task. */
  readonly goalKey?: string;
  /** What a failed step means unless the file says otherwise. */
  readonly onFailure: FailurePolicy;
  /**
   * What orders the steps: the list or `dependsOn`, else `coordination.mode` of the file. Without steps every agent
   * is one (`none`), or the pattern gives turns to its agents itself (`mode`).
   */
  readonly order: "list" | "graph" | "none" | "mode";
  /** How the file orders steps that says nothing of it. Defaults to `dag`; to `parallel` where the order is `none`. */
  readonly defaultMode?: NonNullable<PatternDefinition["mode"]>;
  /** Whether its steps may say how they are undone. Defaults to no. */
  readonly compensates?: boolean;
  /** Functions that it asks in place of its block where they are given in code. Defaults to none. */
  readonly functions?: readonly PatternFunctionName[];
  /** Whether weak branches of its graph can be cut off. Defaults to no. */
  readonly prunes?: boolean;
  /**
   * Running time in ms of a run whose file says none, from what other runs have then; undefined where its block bounds
   * it. Defaults to that of other runs.
   */
  defaultTimeoutMs?(block: PatternDefinition["options"], usualMs: number): number | undefined;
  /** Its agents as they take part: who may write to whom, whose signals count. Defaults to them as declared. */
  members?(definition: PatternDefinition): readonly AgentSpec[];
  /** What is wrong with who takes part. Defaults to nothing. */
  check?(definition: PatternDefinition): readonly PatternFault[];
  /** Names that no other run may have while one of it is carried out. Defaults to none. */
  claims?(definition: PatternDefinition): readonly NameClaim[];
  /** Turns without steps. */
  turns?(definition: PatternDefinition): TurnEstimate;
  /**
   * What the result says beyond its agents, from what was noted so far. Defaults to what the program returns. `cut`: why the
   * program has not returned.
   */
  metadata?(
    definition: PatternDefinition,
    advances: readonly PatternAdvance[],
    cut?: "cancelled" | "limit",
  ): { readonly [key: string]: Json };
  /** Ids of the steps whose outputs are what it was done for. Defaults to those that no other step depends on. */
  results?(definition: PatternDefinition): readonly string[];
  /** What its steps look like. Defaults to their order. */
  graph?(definition: PatternDefinition): WorkflowGraph;
  /** Who leads to whom without steps. An end that is no agent is a point that all come to, open once a move of that kind was noted. */
  links?(definition: PatternDefinition): readonly GraphEdge[];
  /** Names of functions that its block asks where a task goes on. Defaults to none. */
  tests?(definition: PatternDefinition): readonly string[];
  /** The same with these functions. Absent: it asks none. */
  withTests?(tests: readonly RouteTest[]): Pattern;
  run(context: Context, definition: PatternDefinition): Promise<ProgramResult>;
}

/** Declares a pattern. */
export function definePattern(pattern: Pattern): Pattern {
  return pattern;
}
