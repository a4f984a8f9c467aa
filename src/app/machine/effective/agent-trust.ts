import type { BackendDescriptor } from "../../../agents/backends/parts/backend-descriptor.ts";
import { builtInBackends } from "../../../agents/backends/registry.ts";
import type { TrustsProject } from "../../../agents/session-ports.ts";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import type { Machine } from "../machine.ts";
import { type AgentFile, findAgentFiles } from "../trust/agent-files.ts";
import { untrustedFiles } from "../trust/trust-store.ts";

/** Whose trust it is about. */
export type TrustSurroundings = Pick<Machine, "env" | "project" | "trustsProject">;

/**
 * Whether the configuration that a project has for agents' programs may take effect: when it was trusted with
 * the content that it has now, all of it, or is taken this once (SEC-1, T18). `own`: backends beside those of Troupe.
 */
export function agentTrust(
  { env, project, trustsProject }: TrustSurroundings,
  settings: ConfigSettings,
  own: readonly Pick<BackendDescriptor, "name" | "obeys">[] = [],
): TrustsProject {
  // Every session of every agent asks.
  const namesOf = new Map<string, readonly string[]>();
  return (backend, cwd) => {
    const names =
      namesOf.get(backend) ??
      own.find(({ name }) => name === backend)?.obeys ??
      namesObeyedBy([programKind(backend, settings)]);
    namesOf.set(backend, names);
    const files = findAgentFiles({ names, cwd, project, env });
    if (files.length === 0) return false;
    return trustsProject || untrustedFiles(env, project.root, files).length === 0;
  };
}

/** The files that would configure the programs of these agents and are not trusted, each once. */
export function leftOutFiles(
  { env, project, trustsProject }: TrustSurroundings,
  settings: ConfigSettings,
  agents: readonly Pick<AgentSpec, "backend" | "cwd">[],
): readonly AgentFile[] {
  if (trustsProject) return [];
  const places = new Map<string, Set<string>>();
  for (const { backend, cwd = project.cwd } of agents)
    places.set(cwd, (places.get(cwd) ?? new Set()).add(programKind(backend, settings)));
  const found = [...places].flatMap(([cwd, backends]) =>
    findAgentFiles({ names: namesObeyedBy([...backends]), cwd, project, env }),
  );
  const leftOut = untrustedFiles(env, project.root, found);
  return [...new Map(leftOut.map((file) => [file.path, file])).values()];
}

/**
 * The files that configure the programs of these agents, each with whether it takes effect: a program takes all of them
 * or none.
 */
export function agentFilesInEffect(
  { env, project, trustsProject }: TrustSurroundings,
  settings: ConfigSettings,
  agents: readonly Required<Pick<AgentSpec, "backend" | "cwd">>[],
): readonly AgentFileTrust[] {
  const asked = new Map(
    agents.map(({ backend, cwd }) => {
      const kind = programKind(backend, settings);
      return [JSON.stringify([kind, cwd]), { kind, cwd }];
    }),
  );
  return [...asked.values()].flatMap(({ kind, cwd }) => {
    const files = findAgentFiles({ names: namesObeyedBy([kind]), cwd, project, env });
    const isTrusted = trustsProject || untrustedFiles(env, project.root, files).length === 0;
    return files.map((file) => ({ ...file, isTrusted }));
  });
}

/** A file of agents' programs, and whether it is trusted with the content that it has now. */
export interface AgentFileTrust extends AgentFile {
  readonly isTrusted: boolean;
}

/** All files that would configure programs of agents that work in a project's current directory. */
export function agentFilesOf({
  env,
  project,
}: Pick<TrustSurroundings, "env" | "project">): readonly AgentFileTrust[] {
  const { cwd } = project;
  const names = namesObeyedBy(builtInBackends.map(({ name }) => name));
  const files = findAgentFiles({ names, cwd, project, env });
  const untrusted = new Set(untrustedFiles(env, project.root, files));
  return files.map((file) => ({ ...file, isTrusted: !untrusted.has(file) }));
}

/** What a backend of one's own is, by its type; else the backend itself. */
function programKind(backend: string, { backends = {} }: ConfigSettings): string {
  return (Object.hasOwn(backends, backend) ? backends[backend]?.type : undefined) ?? backend;
}

/** What the programs of these backends obey in a project, each once. */
export function namesObeyedBy(backends: readonly string[]): readonly string[] {
  const named = builtInBackends.filter(({ name }) => backends.includes(name));
  const isAny = named.some(({ isAnyProgram }) => isAnyProgram);
  const asked = isAny
    ? builtInBackends.filter((each) => each.program !== undefined || named.includes(each))
    : named;
  return [...new Set(asked.flatMap(({ obeys = [] }) => obeys))];
}
