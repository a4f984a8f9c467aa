import type { z } from "zod";
import type { PermissionMode } from "../../contracts/agent.ts";
import type { TraitsOf } from "../../contracts/backend.ts";
import type { KickoffDefinition } from "../../contracts/definition.ts";
import type { StepType } from "../../contracts/ports/step-type.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import type { KnownPattern, PatternCatalogue } from "../schema/catalogue.ts";
import type { AgentTypeFinder } from "./agent-type.ts";

/** What agents get that do not say so themselves; nothing of it for those whose program is the agent, but the mode. */
export interface AgentDefaults {
  readonly permissionMode?: PermissionMode | undefined;
  /** Of agents that name no backend either. */
  readonly model?: string | undefined;
  /** By backend. */
  readonly models?: { readonly [backend: string]: string } | undefined;
}

/** Workflows that can be named by their id. */
export interface WorkflowRegistry {
  /**
   * The absolute path of a workflow's file; undefined when there is none of this id. Raises what speaks against
   * its use by the workflow that asks.
   */
  find(id: string, askedBy: string): { readonly file: string } | undefined;
  /** Ids for hints. */
  ids(): readonly string[];
}

/** The workflows that a workflow is loaded for. */
export interface EnclosingWorkflows {
  /** Their names and the real paths of their files, the outermost first. */
  readonly chain: readonly { readonly name: string; readonly file: string }[];
  /** How much may still be loaded for the outermost one; counted down by whoever loads. */
  readonly left: { workflows: number; chars: number };
}

/** Agents without a place in a file: they have backend `function`, whatever it says. */
export interface CodeAgents {
  readonly ids: ReadonlySet<string>;
  /** Whether an agent of a step workflow that nothing describes is one too. */
  readonly isOpen: boolean;
}

/** What a file is loaded against. */
export interface LoadOptions {
  /** All patterns that can be run. */
  readonly knownPatterns: readonly KnownPattern[];
  /** Those of them that the file names. */
  readonly patterns: PatternCatalogue;
  /** Types that the steps of a step workflow may have. Defaults to none. */
  readonly stepTypes?: readonly StepType[] | undefined;
  /** Names of functions that routes may ask where a task goes on. Not checked when absent. */
  readonly routeTests?: readonly string[] | undefined;
  /** Agents that are found by their name. Defaults to none. */
  readonly agentTypes?: AgentTypeFinder | undefined;
  /** Workflows that are found by their id. Defaults to none. */
  readonly workflowRegistry?: WorkflowRegistry | undefined;
  /** Present when a step of another workflow runs this one. */
  readonly enclosing?: EnclosingWorkflows | undefined;
  /** How the `script` of a scripted agent looks; not checked here when absent. */
  readonly scriptSchema?: z.ZodType | undefined;
  /** Names of backends that a file may use, whether or not they are ready on this machine. */
  readonly backends: readonly string[];
  readonly traitsOf: TraitsOf;
  /**
   * The first of an agent's further arguments that would decide in Troupe's place, and its number from 0. Not
   * checked when absent.
   */
  readonly refusedArgument?: (
    backend: string,
    args: readonly string[],
  ) => { readonly index: number; readonly text: string } | undefined;
  /** Why an agent cannot have the model that it names, or has for want of another. Not checked when absent. */
  readonly modelProblem?: (agent: {
    readonly id: string;
    readonly backend: string;
    readonly model: string | undefined;
  }) => TroupeError | undefined;
  /** `--backend`: takes the place of every backend but command, function, human and script. */
  readonly backendOverride?: string | undefined;
  /** Whether the override also takes an agent that would keep its backend (its cassette has an entry). */
  readonly overridesAlso?: ((agent: string) => boolean) | undefined;
  /** Agents that are functions of whoever runs the workflow. Defaults to none. */
  readonly codeAgents?: CodeAgents | undefined;
  /** Params given to the run: `count` shapes a template that takes one. */
  readonly params?: { readonly [name: string]: Json } | undefined;
  /** Backend of agents for which nothing else decides. */
  readonly defaultBackend?: string | undefined;
  readonly agentDefaults?: AgentDefaults | undefined;
  /** Absolute directory that no path may leave. */
  readonly projectRoot: string;
  /** Absolute directory that agents' `cwd` is relative to. Defaults to the project root. */
  readonly cwd?: string | undefined;
  /** Absolute directory of the file, which its module paths are relative to. Defaults to `cwd`. */
  readonly fileDirectory?: string | undefined;
  /** Absolute `.troupe` directory. Defaults to that of the project root. */
  readonly troupeDirectory?: string | undefined;
  /** The tool that the file was written for. Default: that of keys which only its files have, else troupe. */
  readonly importFrom?: string | undefined;
  /** Names of the tools that agents may be given. Not checked when absent. */
  readonly tools?: readonly string[] | undefined;
  /** Names of the environment variables that are set here. Not checked when absent. */
  readonly environment?: readonly string[] | undefined;
  /** Those of them that programs get only where a file names them. Not told when absent. */
  readonly withheld?: readonly string[] | undefined;
  /** Whether a kickoff workflow is over when nobody has anything left to do (default), or when it is stopped. */
  readonly until?: KickoffDefinition["until"] | undefined;
  /** Running time of a run whose file says nothing, in ms. Defaults to 10 minutes. */
  readonly defaultTimeoutMs?: number | undefined;
  /** Steps at the same time of a run whose file says nothing. Defaults to all. */
  readonly defaultMaxConcurrency?: number | undefined;
}
