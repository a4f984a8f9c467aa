import type { SessionRequest } from "../../../contracts/backend.ts";
import { present } from "../../../foundation/present.ts";
import { textSetting } from "../parts/agent-program.ts";

/** What Codex asks about, and how far it goes without asking. */
export interface AskingMode {
  readonly approvalPolicy: "untrusted" | "on-request";
  readonly sandbox: "read-only" | "workspace-write" | "danger-full-access";
}

/**
 * Every command and change is asked for, and what is allowed runs in Codex's own sandbox. Within bounds that
 * Troupe has set, that one cannot start; then those bounds are all. An agent that only reads is not asked
 * about while the sandbox sees to it that it only reads: Codex has no tool for reading but its shell.
 */
export function askingMode({
  spec,
  confine,
}: Pick<SessionRequest, "spec" | "confine">): AskingMode {
  const isPlanning = spec.permissionMode === "plan";
  const own = isPlanning ? "read-only" : "workspace-write";
  return {
    approvalPolicy: isPlanning ? "on-request" : "untrusted",
    sandbox: confine === undefined ? own : "danger-full-access",
  };
}

/** What threads are started and resumed with. `off`: servers of tools that are not for this agent. */
export function threadParams(
  request: SessionRequest,
  model: string | undefined,
  off: readonly string[],
): { readonly [name: string]: unknown } {
  const systemPrompt = textSetting(request.spec, "systemPrompt");
  return {
    cwd: request.cwd,
    ...askingMode(request),
    approvalsReviewer: "user",
    ...present({ model, developerInstructions: systemPrompt }),
    ...(off.length === 0 ? {} : { config: { mcp_servers: serversOff(off) } }),
  };
}

/** Settings that keep servers from being started. */
export function serversOff(names: readonly string[]): {
  readonly [name: string]: { readonly enabled: false };
} {
  return Object.fromEntries(names.map((name) => [name, { enabled: false }]));
}
