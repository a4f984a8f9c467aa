import type { SessionRequest } from "../../../../contracts/backend.ts";
import type { Usage } from "../../../../contracts/usage.ts";
import type { BackendSettings } from "../backend-settings.ts";
import type { PrivateDirectory } from "../private-directory.ts";
import type { ProviderFailure } from "../provider-error.ts";
import type { AcpToolCall } from "./tool-call.ts";

/** How the provider of a model refused a request. */
export type ProviderAnswer = Pick<ProviderFailure, "status" | "retryAfterMs">;

/** What differs between programs that speak the Agent Client Protocol. */
export interface AcpDialect {
  /** What the program calls the tool of a call, where the protocol's own members do not tell. */
  toolName?(call: AcpToolCall): string | undefined;
  /** What a reply to a prompt says of its use. Defaults to its `usage`, if there is one. */
  usageOf?(reply: { readonly [name: string]: unknown }): Usage;
  /**
   * What a session has used since it began; undefined where that cannot be found out. It counts instead of what
   * replies and updates say.
   */
  sessionUsage?(session: string): Usage | undefined;
  /** What the provider answered when a prompt failed, where the program's refusal does not say it. */
  failureOf?(session: string): ProviderAnswer | undefined;
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

/** What the call of a program for one session depends on. */
export interface AcpCall {
  readonly request: SessionRequest;
  readonly settings: BackendSettings | undefined;
  /** Where it may keep what is of this session alone. */
  readonly directory: PrivateDirectory;
}

/** How a program is called that speaks the Agent Client Protocol. */
export interface AcpCommand {
  /** What it is always called with. Defaults to nothing. */
  args?(call: AcpCall): readonly string[];
  /** What makes it speak the protocol, after that. */
  readonly protocol: readonly string[];
  /** What makes it a program for a terminal instead, on this session or on a new one. */
  terminal(session: string | undefined): readonly string[];
  /** Raises what speaks against a start in the directory of the request. Defaults to nothing. */
  assertPlace?(request: SessionRequest): void;
  /** Makes ready what it reads, and says with which environment it is started and how it speaks. */
  prepare(
    call: AcpCall,
  ): Promise<{ readonly env: SessionRequest["env"]; readonly dialect?: AcpDialect }>;
  /** Whether what it reads tells it its role; else the first prompt does. */
  readonly readsRole?: true;
}
