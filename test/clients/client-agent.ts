import { join } from "node:path";

/** An agent of a workflow file whose program is a real client. */
export interface ClientAgent {
  readonly backend: "command";
  readonly command: readonly string[] | string;
  readonly env: { readonly [name: string]: string };
}

/** How a client reaches Troupe's tools. */
export type ToolTransport = "http" | "stdio";

/** What clients are started with. */
export interface ClientOptions {
  readonly agent: string;
  /** Program and first arguments. */
  readonly program: readonly string[];
  /** Base URL of the model, the only address that the client is told. */
  readonly modelUrl: string;
  /** Directory that belongs to this agent alone: nothing of the user's is read or written. */
  readonly home: string;
  readonly transport: ToolTransport;
}

/** What clients show to the model. Long enough that masking it hides nothing else. */
export const MODEL_KEY = "key-of-the-scripted-model";
/** The server that `troupe mcp` is, for clients that start one. */
export function stdioServer(agent: string): {
  readonly command: string;
  readonly args: readonly string[];
} {
  const bin = join(import.meta.dirname, "../../bin/troupe.js");
  return { command: process.execPath, args: [bin, "mcp", "--agent", agent] };
}
