import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ContextAccess } from "../../../src/contracts/context-access.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createContextServer } from "../../../src/mcp/context-server.ts";
import { builtInTools } from "../../../src/tools/registry.ts";
import type { Bench } from "./bench.ts";

/** Troupe's tools for the agent of a bench, with what came in. */
export interface OpenContext {
  readonly access: ContextAccess;
  /** What Troupe adds to the environment of the agent. */
  readonly env: { readonly [name: string]: string };
  readonly calls: readonly { readonly tool: string; readonly input: Json }[];
  /** Arguments of the programs that ran during a call, one text for each; empty where nobody can see them. */
  readonly argumentsSeen: readonly string[];
}

/** Lets the agent of a bench in, over HTTP on loopback, until the test ends. */
export async function openContext({ root }: Bench): Promise<OpenContext> {
  const server = createContextServer({ socketPath: join(root, "run/c.sock"), version: "0.0.0" });
  onTestFinished(() => server.close());
  const calls: { tool: string; input: Json }[] = [];
  const argumentsSeen: string[] = [];
  const access = await server.open({
    run: "run_clients",
    instance: "main",
    agent: "worker",
    session: "worker",
    tools: builtInTools.map(({ name }) => name),
    reach: "http",
    call: async (tool, input) => {
      calls.push({ tool, input });
      argumentsSeen.push(...allArguments());
      return { id: `posted-${calls.length}` };
    },
  });
  const { token, url = "", socketPath } = access;
  return {
    access,
    calls,
    argumentsSeen,
    env: {
      TROUPE_CONTEXT_TOKEN: token,
      TROUPE_CONTEXT_SOCKET: socketPath,
      TROUPE_CONTEXT_URL: url,
    },
  };
}

/** What everybody on this machine can read of every program. */
function allArguments(): readonly string[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, "utf8")] : [];
    } catch {
      // It ended meanwhile.
      return [];
    }
  });
}
