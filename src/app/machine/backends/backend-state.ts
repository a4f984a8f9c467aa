import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  builtInBackends,
  createBackend,
  describeBackend,
  knownBackends,
} from "../../../agents/backends/registry.ts";
import type { AgentBackend, SignIn, TraitsOf } from "../../../contracts/backend.ts";
import { systemClock } from "../../../foundation/clock.ts";
import { didYouMean } from "../../../foundation/near-names.ts";
import { allowedEnvironment, namedVariable } from "../../../host/environment.ts";
import { createHost } from "../../../host/host.ts";
import { findProgram } from "../../../host/system/find-program.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import type { Environment } from "../place/project.ts";
import { type AgentProgram, agentPrograms } from "./agent-programs.ts";

/** What a backend needs and whether this machine has it; found out without starting anything. */
export interface BackendState {
  readonly backend: string;
  readonly status: "ready" | "signed-out" | "missing" | "unsupported";
  /** Absolute path of its program, if it has one that was found. */
  readonly program?: string;
  /** How its agents are signed in; absent where that is not known. */
  readonly signIn?: SignIn;
  readonly message: string;
  /** What to do next. */
  readonly hint?: string;
}

/** What a backend tells about signing in. */
export type SignInSource = Pick<AgentBackend, "passes" | "signIn">;

/** Where backends are looked for. */
export interface BackendSurroundings {
  readonly env: Environment;
  /** What a program that is written as a path counts from. */
  readonly cwd: string;
  readonly settings: ConfigSettings;
  /** Backends that the project defines and that do not take effect. Defaults to none. */
  readonly untrusted?: readonly string[];
  /** Backends beside those of troupe. Defaults to none. */
  readonly own?: readonly { readonly name: string }[] | undefined;
  /** Loads a backend that can be run; undefined for others. Defaults to those of the registry. */
  readonly find?: (backend: string) => LoadSource | undefined;
}

/** Called for what is installed only: most backends are never used. */
type LoadSource = () => Promise<SignInSource>;

/** Finds out about a backend. Preflight, doctor and the choice of a default all ask here (AGT-14). */
export async function lookUpBackend(
  backend: string,
  surroundings: BackendSurroundings,
): Promise<BackendState> {
  const { settings, find = (name) => fromRegistry(name, surroundings) } = surroundings;
  const source = find(backend);
  const known = agentPrograms.find((candidate) => candidate.backend === backend);
  if (known !== undefined) return lookUpProgram({ known, source }, surroundings);
  const { type } = ownSettings(backend, settings) ?? {};
  if (isOwn(backend, surroundings))
    return { backend, status: "ready", message: "code of a plug-in or of the program" };
  if (source !== undefined)
    return type === undefined
      ? { backend, status: "ready", message: "part of troupe" }
      : lookUpOwn({ backend, source }, surroundings);
  if (type === undefined && !knownBackends.includes(backend)) return unknown(backend, surroundings);
  const what = type === undefined ? `${backend} agents` : `agents of type ${type}`;
  return { backend, status: "unsupported", message: `this version cannot run ${what} yet` };
}

function isOwn(backend: string, { own = [] }: BackendSurroundings): boolean {
  return own.some(({ name }) => name === backend);
}

/** Nobody says what it is: nobody names it, or the project does and is not trusted. */
function unknown(
  backend: string,
  { settings: { backends = {} }, untrusted = [] }: BackendSurroundings,
): BackendState {
  if (untrusted.includes(backend)) {
    const message = `backend "${backend}" is defined by the configuration of this project, which is not trusted`;
    return { backend, status: "missing", message, hint: "troupe trust, or --trust for one run" };
  }
  const message = `there is no backend "${backend}" whose type takes effect`;
  if (Object.hasOwn(backends, backend))
    return { backend, status: "missing", message, hint: "troupe trust, if the project defines it" };
  const hint = didYouMean(backend, [...knownBackends, ...Object.keys(backends)]);
  const none = { backend, status: "missing", message: `there is no backend "${backend}"` } as const;
  return hint === undefined ? none : { ...none, hint };
}

async function lookUpProgram(
  { known, source }: { readonly known: AgentProgram; readonly source: LoadSource | undefined },
  surroundings: BackendSurroundings,
): Promise<BackendState> {
  const { backend, install, signIn: way } = known;
  const name = configuredProgram(backend, surroundings.settings) ?? known.file;
  const path = pathOf(name, surroundings);
  const program = path === undefined ? {} : { program: path };
  if (source === undefined) {
    const found = path === undefined ? "" : ` (found: ${path})`;
    const message = `this version cannot run ${backend} agents yet${found}`;
    return { backend, status: "unsupported", ...program, message };
  }
  if (path === undefined)
    return missing(
      backend,
      name,
      localHint(backend, name, surroundings) ?? `install it: ${install}`,
    );
  const signIn = await signInOf(backend, source, surroundings);
  const found = { backend, program: path, ...(signIn === undefined ? {} : { signIn }) };
  if (signIn?.by !== "nothing") return { ...found, status: "ready", message: path };
  return { ...found, status: "signed-out", message: SIGNED_OUT, hint: `to sign in: ${way}` };
}

/** A backend of one's own: what it is signed in to is its own affair, but for a key that is configured. */
async function lookUpOwn(
  { backend, source }: { readonly backend: string; readonly source: LoadSource },
  surroundings: BackendSurroundings,
): Promise<BackendState> {
  const { settings } = surroundings;
  if (describeBackend(ownSettings(backend, settings)?.type ?? "")?.isServer)
    return lookUpServer(backend, surroundings);
  const name = configuredProgram(backend, settings);
  const hint = `say in the configuration which program it is: backends.${backend}.command`;
  if (name === undefined) return { backend, status: "missing", message: "has no command", hint };
  const path = pathOf(name, surroundings);
  if (path === undefined)
    return missing(backend, name, localHint(backend, name, surroundings) ?? hint);
  const found = { backend, program: path };
  const signIn = await signInOf(backend, source, surroundings);
  if (signIn?.by !== "nothing") return { ...found, status: "ready", message: path };
  const { apiKeyEnv = "its key" } = ownSettings(backend, settings) ?? {};
  return { ...found, status: "signed-out", message: SIGNED_OUT, hint: `set ${apiKeyEnv}` };
}

/** Programs of the project are not found by their name alone: whoever wrote the project would decide what runs. */
function localHint(
  backend: string,
  name: string,
  { cwd }: BackendSurroundings,
): string | undefined {
  if (name.includes("/")) return undefined;
  const places = [cwd];
  for (let at = cwd; dirname(at) !== at; at = dirname(at)) places.push(dirname(at));
  const file = places.map((place) => join(place, "node_modules/.bin", name)).find(existsSync);
  if (file === undefined) return undefined;
  return `it is in ${dirname(file)}, where programs are not looked for; write in the configuration: backends: { ${backend}: { command: ${JSON.stringify(file)} } }`;
}

/** A server of models: only that it can be asked is known here, not whether it answers. */
function lookUpServer(backend: string, { settings, env }: BackendSurroundings): BackendState {
  const { baseUrl, apiKeyEnv } = ownSettings(backend, settings) ?? {};
  if (baseUrl === undefined) {
    const hint = `say in the configuration where its models are: backends.${backend}.baseUrl`;
    return { backend, status: "missing", message: "has no baseUrl", hint };
  }
  if (apiKeyEnv === undefined || (namedVariable(env, apiKeyEnv) ?? "") !== "")
    return { backend, status: "ready", message: baseUrl };
  return { backend, status: "signed-out", message: SIGNED_OUT, hint: `set ${apiKeyEnv}` };
}

const SIGNED_OUT = "nobody is signed in";

function missing(backend: string, name: string, hint: string): BackendState {
  const where = name.includes("/") ? "does not exist or is no program" : "is not on PATH";
  const message = `needs the command "${name}", which ${where}`;
  return { backend, status: "missing", message, hint };
}

function pathOf(name: string, { env, cwd }: BackendSurroundings): string | undefined {
  return findProgram(name, allowedEnvironment(env, [], {}), cwd);
}

function configuredProgram(backend: string, settings: ConfigSettings): string | undefined {
  const command = ownSettings(backend, settings)?.command;
  return typeof command === "string" ? command : command?.[0];
}

function ownSettings(backend: string, { backends = {} }: ConfigSettings) {
  return Object.hasOwn(backends, backend) ? backends[backend] : undefined;
}

async function signInOf(
  backend: string,
  load: LoadSource,
  surroundings: BackendSurroundings,
): Promise<SignIn | undefined> {
  const source = await load();
  return source.signIn?.(backendEnvironment(backend, source, surroundings));
}

/** The backend as a run would have it, to be asked only: its host starts nothing. */
function fromRegistry(
  name: string,
  { env, settings }: BackendSurroundings,
): LoadSource | undefined {
  const { backends = {} } = settings;
  const kind = ownSettings(name, settings)?.type ?? name;
  if (!builtInBackends.some((candidate) => candidate.name === kind)) return undefined;
  return () =>
    createBackend(name, {
      host: createHost({ run: "", clock: systemClock, env, reaper: false }),
      clock: systemClock,
      settings: backends,
      functions: new Map(),
      importModule: (path) => Promise.reject(new Error(`${path} is not loaded to be asked`)),
    });
}

/** What agents of a backend get of an environment before their workflow says anything (AGT-11). */
function backendEnvironment(
  name: string,
  { passes = [] }: Pick<AgentBackend, "passes">,
  { env, settings }: { readonly env: Environment; readonly settings: ConfigSettings },
): { readonly [name: string]: string } {
  const passed = passes.flatMap((variable) => {
    const value = namedVariable(env, variable);
    return value === undefined ? [] : [[variable, value]];
  });
  const { backends = {}, env: { allow = [] } = {} } = settings;
  const configured = Object.hasOwn(backends, name) ? backends[name]?.env : undefined;
  return allowedEnvironment(env, allow, { ...Object.fromEntries(passed), ...configured });
}

/** What is known of the backends that come with troupe, for those who may not see the backends themselves. */
export const backendTraits: TraitsOf = describeBackend;
