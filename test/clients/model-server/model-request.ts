import type { Json } from "../../../src/foundation/json.ts";

/** One piece of a conversation, in order. `prompt` is what the client says, its instructions included. */
export interface Entry {
  readonly kind: "prompt" | "reply" | "call" | "result";
  readonly text: string;
}

/** A tool that the client offers to the model. */
export interface OfferedTool {
  readonly name: string;
  /** Where the protocol groups tools. */
  readonly namespace?: string;
}

/** What all protocols ask for. */
export interface ModelRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly entries: readonly Entry[];
  readonly tools: readonly OfferedTool[];
}

/** A tool call with the name and the arguments that the client knows. */
export interface ModelCall {
  readonly tool: OfferedTool;
  readonly args: { readonly [name: string]: Json };
}

/** What the model says: text, calls or both. */
export interface ModelAnswer {
  readonly text?: string;
  readonly calls: readonly ModelCall[];
  /** The model does not do what it is asked for; the text says why. */
  readonly isRefusal?: boolean;
}

/** What every answer is said to have consumed. */
export const TOKENS = { input: 1200, cachedInput: 1000, output: 50, reasoning: 7 } as const;
