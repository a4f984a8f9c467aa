import type { TestProject } from "vitest/node";
import { type ClientState, clientsFolder, installClient } from "./install-client.ts";
import { type ClientName, pinnedClients } from "./pinned-clients.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** By name; only those that tests ask for. */
    readonly clients: { readonly [name in ClientName]?: ClientState };
  }
}

/** What the suite drives; further ones are installed when tests for them exist. */
const TESTED: readonly ClientName[] = ["claude", "codex", "gemini", "opencode"];

/**
 * Brings the clients before any test starts; vitest calls it. A missing one skips its tests, or ends the
 * suite where `TROUPE_MACHINE=whole` says that nothing may be skipped.
 */
export async function setup(project: TestProject): Promise<void> {
  const wanted = pinnedClients.filter(({ name }) => TESTED.includes(name));
  const folder = clientsFolder();
  const states = await Promise.all(
    wanted.map(async (client) => [client.name, await installClient(client, folder)] as const),
  );
  const reasons = states.flatMap(([, state]) => (state.status === "missing" ? [state.reason] : []));
  if (reasons.length > 0 && process.env["TROUPE_MACHINE"] === "whole")
    throw new Error(`clients are missing, and TROUPE_MACHINE=whole\n${reasons.join("\n")}`);
  for (const reason of reasons) process.stderr.write(`SKIPPED, client missing: ${reason}\n`);
  project.provide("clients", Object.fromEntries(states));
}
