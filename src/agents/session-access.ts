import type { AgentBackend, SessionRequest } from "../contracts/backend.ts";
import type { ContextAccess, SessionToolCall } from "../contracts/context-access.ts";
import type { AgentState } from "../fold/state/agent-state.ts";
import { ALL_SHARED } from "./agent-requests.ts";
import type { SessionPorts } from "./session-ports.ts";
import { offerTo } from "./tool-context.ts";

/** What the processes of a session know of their way in. */
export type SessionAccess = NonNullable<SessionRequest["access"]>;

/** Whose processes are let in. */
export interface AccessingSession {
  readonly agent: AgentState;
  readonly name: string;
  readonly backend: AgentBackend;
}

/** Lets the processes of a session in, if its backend's have use for it. Raises MCP_* errors. */
export async function openAccess(
  ports: SessionPorts,
  { agent, name, backend }: AccessingSession,
  call: SessionToolCall,
): Promise<ContextAccess | undefined> {
  const { contextDoor, runtime, shares = ALL_SHARED, offeredTools } = ports;
  if (contextDoor === undefined || backend.reach === undefined) return undefined;
  return contextDoor.open({
    run: runtime.run,
    instance: runtime.state.run.instance,
    agent: agent.id,
    session: name,
    tools: offeredTools(offerTo(agent.spec, shares)),
    // In a sandbox there are no unix sockets but those of the sandbox.
    reach: agent.spec.isolation === "sandbox" ? "http" : backend.reach,
    call,
  });
}

/** The same for the environment of processes: never in an argument list, which others can read. */
export function toAccessEnv(access: SessionAccess | undefined): {
  readonly [name: string]: string;
} {
  if (access === undefined) return {};
  const { token, url, socketPath } = access;
  return {
    TROUPE_CONTEXT_TOKEN: token,
    ...(socketPath === undefined ? {} : { TROUPE_CONTEXT_SOCKET: socketPath }),
    ...(url === undefined ? {} : { TROUPE_CONTEXT_URL: url }),
  };
}

/** What processes that the system confines know of it: the port alone. */
export function confinedAccess({ token, url, renew }: ContextAccess): SessionAccess {
  return { token, renew, ...(url === undefined ? {} : { url }) };
}
