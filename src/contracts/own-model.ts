import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { z } from "zod";
import type { Json } from "../foundation/json.ts";

/** The use of a tool of one's own by an agent. */
export interface OwnToolUse {
  /** Aborts when the turn is cut off: then nobody waits for the result any more. */
  readonly signal: AbortSignal;
  readonly run: string;
  readonly agent: string;
  /** Absolute: the directory that the agent works in. */
  readonly cwd: string;
  /** The same text whenever this call is made again after a crash, and of no other call. */
  readonly key: string;
}

/** A tool of one's own for agents that are models. */
export interface OwnTool<Input = unknown> {
  /** As the model calls it: letters, digits, `_` and `-`. */
  readonly name: string;
  /** For the model: what it does and when to use it. */
  readonly description: string;
  /** An object. What does not fit is told the model. */
  readonly input: z.ZodType<Input>;
  /**
   * It changes nothing: calls of it run side by side, and again after a crash. Defaults to false: then it runs alone, and
   * what had begun when the process died is never begun again.
   */
  readonly isReadOnly?: boolean;
  /** Nobody is asked whether it may be used. Defaults to `isReadOnly`; of others the agent's permissions decide. */
  readonly isFree?: boolean;
  /** Does it; the model is shown what it returns, or what it throws as an error. */
  run(input: Input, use: OwnToolUse): Promise<Json> | Json;
}

/** A backend of one's own whose agents are models: their turns are carried out by Troupe's loop. */
export interface OwnModel {
  /** What agents say under `backend`. */
  readonly name: string;
  /**
   * A model of AI SDK: that of all agents, or that of a name, which is what an agent says under `model`. Absent: agents
   * say `provider/name`, as those of backend `model` do.
   */
  readonly model?: LanguageModelV4 | ((name: string | undefined) => LanguageModelV4);
  /** Tools beside those of Troupe's loop. */
  readonly tools?: readonly OwnTool[];
  /** `none`: its agents are told their task and no word of a team, and owe no signal. Defaults to `text`. */
  readonly conventions?: "text" | "none";
  /** How much the models take at once, in tokens. Defaults to 128,000. */
  readonly contextWindow?: number;
}
