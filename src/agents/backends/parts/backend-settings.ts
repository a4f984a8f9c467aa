/** Where a backend is and how it reaches its model, as the configuration says. */
export interface BackendSettings {
  readonly type?: "acp" | "model";
  readonly command?: string | readonly string[];
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly model?: string;
  readonly baseUrl?: string;
  /** Name of the environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  /** How a server that speaks OpenAI's protocol is asked. */
  readonly api?: "chat" | "responses";
  /** How much its models take at once, in tokens. */
  readonly contextWindow?: number;
}

/** What is known of one backend beside its kind: its name in workflows and what the configuration says of it. */
export interface OwnSettings {
  readonly name: string;
  readonly settings: BackendSettings | undefined;
}
