import { basename, dirname, extname, resolve } from "node:path";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { KickoffContext, KickoffDefinition } from "../../contracts/definition.ts";
import { stampFormat } from "../../contracts/definition-format.ts";
import { ID_PATTERN } from "../../foundation/ids.ts";
import { isRecord, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { DEFAULT_BOUNDS } from "../../programs/primitives/own-turns.ts";
import { noBackend } from "../resolve/errors.ts";
import type { ReadWorkflow } from "../resolve/file-shape.ts";
import type { LoadOptions } from "../resolve/load-options.ts";
import { modelOf, moduleText, resolvePlace, resolveTools } from "../resolve/resolve-agent.ts";
import { type ChosenBackend, chooseBackend } from "../resolve/resolve-backend.ts";
import { resolveBudget } from "../resolve/resolve-budget.ts";
import { DEFAULT_TIMEOUT_MS, resolveParamSpecs } from "../resolve/resolve-definition.ts";
import { resolveAgentLimits } from "../resolve/resolve-limits.ts";
import { type PassedNames, resolvePassedEnv } from "../resolve/resolve-passed-env.ts";
import { resolveAgentDirectory } from "../resolve/resolve-paths.ts";
import { resolveShadows } from "../resolve/resolve-shadows.ts";
import { toMs } from "../resolve/resolve-steps.ts";
import { resolveTrajectory } from "../resolve/resolve-trajectory.ts";
import {
  type KickoffAgentEntry,
  type KickoffFile,
  readKickoffFile,
} from "../schema/kickoff-file-schema.ts";
import { contextDirectory, contextsDirectory } from "./check-context-places.ts";
import type { Prompts } from "./read-prompts.ts";

const DEFAULT_QUIET_MS = 1000;
const CHANNEL_FILE = "channel.md";
const DOCUMENT_FILE = "notes.md";

/** What a kickoff file is resolved with. */
export interface KickoffParts {
  /** The name of the file as it was given. */
  readonly file: string;
  readonly prompts: Prompts;
  readonly options: LoadOptions;
}

/** The definition that a checked file describes: every default filled in, every path resolved, plain JSON. */
export function resolveKickoff(value: unknown, parts: KickoffParts): ReadWorkflow {
  const file = readKickoffFile(value);
  const { options } = parts;
  const { until = "idle" } = options;
  const agents = Object.entries(file.agents).map(([id, entry]) =>
    toAgent(id, entry, { ...parts, passEnv: file.passEnv }),
  );
  const shadows = resolveShadows(file.options?.shadow, {
    agents: agents.map(({ spec }) => spec),
    fileBackend: undefined,
    options,
  });
  const context = resolveContext(file.context, options);
  const definition: KickoffDefinition = stampFormat({
    shape: "kickoff",
    name: file.name ?? nameOfFile(parts.file),
    ...present({ description: file.description }),
    params: resolveParamSpecs(file.params),
    agents: [...agents.map(({ spec }) => spec), ...shadows.specs],
    ...(context === undefined ? {} : { context }),
    setup: (file.setup ?? []).map(({ shell, as, timeout }) => {
      return { shell, ...present({ as, timeoutMs: toMs(timeout) }) };
    }),
    setupDirectory: baseDirectory(options),
    ...present({ kickoff: file.kickoff }),
    until,
    quietMs: toMs(file.options?.quiet) ?? DEFAULT_QUIET_MS,
    // What goes on until it is stopped is bounded by what somebody wrote, and by nothing else.
    bounds: { ...(until === "idle" ? DEFAULT_BOUNDS : {}), ...present(file.options?.bounds ?? {}) },
    ...present({ timeoutMs: timeoutOf(file, options) }),
    ...resolveBudget(file.budget),
    ...resolveTrajectory(file.trajectory),
    channel: file.options?.channel ?? "main",
  });
  const backendOrigins = new Map([
    ...agents.map(({ spec, chosen }) => [spec.id, chosen.origin] as const),
    ...shadows.origins,
  ]);
  return { definition, backendOrigins };
}

function toAgent(
  id: string,
  entry: KickoffAgentEntry,
  { prompts, options, passEnv }: KickoffParts & { readonly passEnv: PassedNames },
): { readonly spec: AgentSpec; readonly chosen: ChosenBackend } {
  const chosen = chooseBackend(
    { id, backend: entry.backend, model: entry.model },
    undefined,
    options,
  );
  // The check of agents has reported this already; the type cannot know.
  if (chosen === undefined) throw noBackend({ agent: id });
  const { env, onCrash, idleTimeout, cwd } = entry;
  const permissionMode = entry.permissionMode ?? options.agentDefaults?.permissionMode;
  const model = modelOf(entry.model, chosen, options);
  const settings = settingsOf(entry, {
    backend: chosen.backend,
    systemPrompt: prompts.get(id)?.text,
    options,
  });
  const spec: AgentSpec = {
    id,
    backend: chosen.backend,
    // Whoever is spoken to has to remember what was said before.
    session: "keep",
    demandsSignal: false,
    ...present({ model, env, permissionMode, onCrash, idleTimeoutMs: toMs(idleTimeout) }),
    ...resolveTools(entry, chosen.backend, options),
    ...present({ spawns: entry.spawns, nativeAgents: entry.nativeAgents }),
    ...(cwd === undefined ? {} : { cwd: resolveAgentDirectory(cwd, options) }),
    ...resolvePassedEnv(env, [passEnv, entry.passEnv]),
    ...resolvePlace(entry),
    ...resolveAgentLimits(entry.limits),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  };
  return { spec, chosen };
}

interface SettingParts {
  readonly backend: string;
  readonly systemPrompt: string | undefined;
  readonly options: LoadOptions;
}

/** Settings of the backend that the agent really has: an override leaves those of another behind. */
function settingsOf(
  { command, script, module }: KickoffAgentEntry,
  { backend, systemPrompt, options }: SettingParts,
): NonNullable<AgentSpec["settings"]> {
  const { takes = [] } = options.traitsOf(backend) ?? {};
  const settings = toJson(
    {
      ...(takes.includes("command") ? { command } : {}),
      ...(takes.includes("script") ? { script } : {}),
      ...(takes.includes("module") ? { module: moduleText(module, options) } : {}),
      systemPrompt,
    },
    "the settings of an agent",
  );
  return isJsonObject(settings) ? settings : {};
}

function isJsonObject(value: unknown): value is NonNullable<AgentSpec["settings"]> {
  return isRecord(value);
}

function resolveContext(
  context: KickoffFile["context"],
  options: LoadOptions,
): KickoffContext | undefined {
  if (context === undefined || context === false) return undefined;
  const { dir, channel, document } = context ?? {};
  const hasBoth = channel === undefined && document === undefined;
  const directory =
    dir === undefined
      ? `${asTemplate(contextsDirectory(options))}/\${{ workflow.name }}/\${{ instance }}`
      : contextDirectory(dir, { ...options, fileDirectory: asTemplate(baseDirectory(options)) });
  return {
    directory,
    ...(channel === undefined && !hasBoth
      ? {}
      : { channel: { file: channel?.file ?? CHANNEL_FILE } }),
    ...(document === undefined && !hasBoth
      ? {}
      : { document: { file: document?.file ?? DOCUMENT_FILE } }),
  };
}

function baseDirectory({ fileDirectory, cwd, projectRoot }: LoadOptions): string {
  return fileDirectory ?? cwd ?? projectRoot;
}

/** A path as a template that prints it. */
function asTemplate(path: string): string {
  return path.replaceAll("${{", "\\${{");
}

/** A limit of time in the budget stands for the default timeout; what is to be stopped has none. */
function timeoutOf(
  { options: written, budget }: KickoffFile,
  { defaultTimeoutMs = DEFAULT_TIMEOUT_MS, until = "idle" }: LoadOptions,
): number | undefined {
  const timeoutMs = toMs(written?.timeout);
  if (timeoutMs !== undefined || budget?.wallClock !== undefined || until === "stopped")
    return timeoutMs;
  return defaultTimeoutMs;
}

/** The name of a file as an id: `review.yaml` is `review`. */
function nameOfFile(file: string): string {
  const path = file === "<stdin>" ? "stdin" : resolve(dirname(file), basename(file));
  const base = basename(path, extname(path)).replace(/[^A-Za-z0-9_-]+/g, "-");
  return (ID_PATTERN.test(base) ? base : `workflow-${base}`).slice(0, 64);
}
