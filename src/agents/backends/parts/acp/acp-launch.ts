import type { Usage } from "../../../../contracts/usage.ts";
import type { AcpToolCall } from "./tool-call.ts";

/** What differs between programs that speak the Agent Client Protocol. */
export interface AcpDialect {
  /** What the program calls the tool of a call, where the protocol's own members do not tell. */
  toolName?(call: AcpToolCall): string | undefined;
  /** What a reply to a prompt says of its use. Defaults to its `usage`, if there is one. */
  usageOf?(reply: { readonly [name: string]: unknown }): Usage;
  /** That is only what the last answer of the model used, so of a turn with tool calls it is no sum. */
  readonly tellsLastAnswerOnly?: boolean;
  /** Called before the program is asked to go on with a session. */
  beforeLoad?(session: string): Promise<void>;
}

/** A program that speaks the Agent Client Protocol, ready to be started. */
export interface AcpLaunch {
  readonly argv: readonly [string, ...string[]];
  /** The whole environment. */
  readonly env: { readonly [name: string]: string };
  readonly dialect: AcpDialect;
  /** What the model is told of its role with the first prompt. Absent: nothing, or the program has it already. */
  readonly systemPrompt?: string;
  /** The model to choose in the session. Absent: the program was told which, or chooses. */
  readonly model?: string;
  /** Removes what the launch put on disk for this session alone. */
  dispose(): Promise<void>;
}
