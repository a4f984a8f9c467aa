import type { Signal } from "./signal.ts";
import type { TurnClient } from "./turn-client.ts";
import type { Usage } from "./usage.ts";

/** What an agent's function gets for one turn. Its calls to Troupe act as the agent and end with the turn. */
export interface AgentFunctionInput {
  readonly run: string;
  readonly agent: string;
  /** Path of the step that the turn serves. */
  readonly step?: string;
  /** The task alone. */
  readonly task: string;
  /** All that the agent is told. */
  readonly prompt: string;
  /** Attempt of the step, from 1. */
  readonly attempt: number;
  /** The idempotency key: the same through all retries and crashes. */
  readonly key: string;
  /** What went wrong in the attempt before. */
  readonly previousError?: string;
  /** Absolute directory of the agent. */
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** Aborts when the turn must end. */
  readonly signal: AbortSignal;
  readonly post: TurnClient["post"];
  readonly ask: TurnClient["ask"];
  readonly callTool: TurnClient["callTool"];
  readonly editDocument: TurnClient["editDocument"];
  readonly requestPermission: TurnClient["requestPermission"];
  readonly giveSignal: TurnClient["signal"];
  /** Shows a part of the answer while the turn runs. */
  stream(text: string): void;
  /** Counts what the turn consumed; may be called several times. */
  reportUsage(usage: Usage): void;
}

/** An answer with signals, which then need no words in the text; an object of just these two keys is one. */
export interface SignallingAnswer {
  readonly text: string;
  /** In the order in which they are given; `value` defaults to an empty one. */
  readonly signals: readonly (Omit<Signal, "by" | "value"> & Partial<Pick<Signal, "value">>)[];
}

/**
 * An agent written in TypeScript. A text is its answer, and so is the text of a SignallingAnswer; any other JSON value is
 * written as JSON; nothing is an empty answer. What it throws fails the turn: a TroupeError keeps its code, anything
 * else is BACKEND_FUNCTION_FAILED; a signal that is none or does not count is BACKEND_ANSWER_INVALID.
 */
export type AgentFunction = (input: AgentFunctionInput) => unknown;
