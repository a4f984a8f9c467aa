import type { AgentSpec } from "../contracts/agent.ts";
import type { AgentBackend, SessionRequest } from "../contracts/backend.ts";
import type { ContextAccess, SessionToolCall } from "../contracts/context-access.ts";
import type { Host } from "../contracts/host.ts";
import { offerTo } from "./agent-requests.ts";
import type { SessionPorts } from "./session-ports.ts";

/** Whose processes get an environment. */
export interface EnvOwner {
  readonly spec: AgentSpec;
  readonly backend: AgentBackend;
  readonly host: Host;
}

/** The environment of an agent's processes, with what only some of them get over the rest. */
export function sessionEnv(
  { spec, backend, host }: EnvOwner,
  over: { readonly [name: string]: string } = {},
): { readonly [name: string]: string } {
  return host.baseEnv({ ...passedEnv(backend, host), ...givenEnv(spec, host), ...over });
}

/** What a backend's agents get of Troupe's own environment: keys and addresses of models. */
function passedEnv({ passes = [] }: AgentBackend, host: Host): Record<string, string> {
  const set = passes.map((name) => [name, host.variable(name)] as const);
  return Object.fromEntries(
    set.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** What the declaration of an agent gives to its processes. */
function givenEnv({ env = {}, envFrom = {} }: AgentSpec, host: Host): Record<string, string> {
  const given = Object.entries(envFrom).flatMap(([name, source]) => {
    const value = host.variable(source);
    return value === undefined ? [] : [[name, value]];
  });
  return { ...env, ...Object.fromEntries(given) };
}

/** What the processes of a session know of their way in. */
type SessionAccess = NonNullable<SessionRequest["access"]>;

/** Whose processes are let in. */
export interface AccessingSession {
  /** The agent as it works now. */
  readonly spec: AgentSpec;
  readonly name: string;
  readonly backend: AgentBackend;
}

/** Lets the processes of a session in, if its backend's have use for it. Raises MCP_* errors. */
export async function openAccess(
  ports: SessionPorts,
  { spec, name, backend }: AccessingSession,
  call: SessionToolCall,
): Promise<ContextAccess | undefined> {
  const { runtime, means } = ports;
  const { contextDoor } = means;
  if (contextDoor === undefined || backend.reach === undefined) return undefined;
  return contextDoor.open({
    run: runtime.run,
    instance: runtime.state.run.instance,
    agent: spec.id,
    session: name,
    tools: ports.tools.offered(offerTo(ports, spec)),
    // In a sandbox there are no unix sockets but those of the sandbox.
    reach: spec.isolation === "sandbox" ? "http" : backend.reach,
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
