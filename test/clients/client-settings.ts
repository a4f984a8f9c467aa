import type { ClientName } from "./pinned-clients.ts";

/** What clients are signed in with. */
export const SCRIPTED_KEY = "key-of-the-scripted-model";

/** How a client is sent to the scripted model. */
export interface ClientSetting {
  readonly keyVariable: string;
  readonly model: string;
  /** What the client adds the path of its protocol to. */
  readonly toBaseUrl: (modelUrl: string) => string;
}

/** Of each client. */
export const CLIENT_SETTINGS: { readonly [name in ClientName]: ClientSetting } = {
  claude: {
    keyVariable: "ANTHROPIC_API_KEY",
    model: "claude-sonnet-4-5",
    toBaseUrl: (url) => url,
  },
  // Of a model that it does not know Codex offers its plain shell.
  codex: { keyVariable: "OPENAI_API_KEY", model: "scripted", toBaseUrl: (url) => `${url}/v1` },
  gemini: { keyVariable: "GEMINI_API_KEY", model: "gemini-2.5-pro", toBaseUrl: (url) => url },
  opencode: {
    keyVariable: "OPENAI_API_KEY",
    model: "scripted/model",
    toBaseUrl: (url) => `${url}/v1`,
  },
};
