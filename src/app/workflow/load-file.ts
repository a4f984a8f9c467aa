import { MODEL } from "../../agents/backends/model/model-descriptor.ts";
import {
  backendUnknown,
  cassetteUnplayed,
  settingsInvalid,
} from "../../agents/backends/parts/errors.ts";
import { refusedIn } from "../../agents/backends/parts/refused-arguments.ts";
import { describeBackend, knownBackends } from "../../agents/backends/registry.ts";
import { type Cassette, turnListSchema } from "../../agents/backends/script/cassette-schema.ts";
import { cassetteCovers } from "../../agents/backends/script/select-turn.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { withheldNames } from "../../host/environment.ts";
import { builtInTools } from "../../tools/registry.ts";
import { loadWorkflowFile } from "../../workflows/load-workflow.ts";
import {
  type LoadedWorkflow,
  type ReadOptions,
  readWorkflow,
} from "../../workflows/parse-workflow.ts";
import type { AgentDefaults, LoadOptions } from "../../workflows/resolve/load-options.ts";
import { chooseDefaultBackend, usualModel } from "../machine/backends/default-backend.ts";
import type { ConfigSettings } from "../machine/config/config-settings.ts";
import { configOf, configuredBackends } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import { readTextFile } from "../machine/place/read-text-file.ts";
import { createAgentTypeFinder } from "./agent-types.ts";
import type { OwnCode } from "./code/workflow-code.ts";
import { codeOf, ownCode } from "./plugins/code-of.ts";
import { knownStepTypes } from "./plugins/step-types-for.ts";
import { createWorkflowRegistry } from "./registry/workflow-registry.ts";
import { knownPatterns } from "./shapes/pattern-program.ts";
import { workflowShapes } from "./shapes/registry.ts";
import type { RunRecipe } from "./shapes/run-recipe.ts";

/** Which file to load, and what stands in for its agents. */
export interface FileRequest extends OwnCode {
  /** Path of the file, or the name that problems show for `text`. */
  readonly file: string;
  /** The text itself, for what does not come from a file. */
  readonly text?: string | undefined;
  /** Params given to the run, which may shape the template that the file starts from. */
  readonly params?: NonNullable<LoadOptions["params"]> | undefined;
  /** `--backend`: stands in for every agent that names none, a model or a CLI. */
  readonly backend?: string | undefined;
  /** Backends that `backend` never stands in for, such as those of the caller that its test is about. Defaults to none. */
  readonly keptBackends?: readonly string[] | undefined;
  /** Whether a kickoff workflow is over when nobody has anything left to do (default), or when it is stopped. */
  readonly until?: NonNullable<LoadOptions["until"]> | undefined;
  /** Agents that are functions of the caller. */
  readonly codeAgents?: LoadOptions["codeAgents"] | undefined;
  /** The tool that the file was written for, if its own keys do not say it. */
  readonly importFrom?: string | undefined;
  /** Path of a cassette, or one as it was read; without `backend` it stands for the backend `script`. */
  readonly cassette?: string | NonNullable<RunRecipe["cassette"]> | undefined;
}

/** A workflow file as it was read, with the cassette for its agents. */
export interface LoadedFile extends LoadedWorkflow {
  readonly cassette?: NonNullable<RunRecipe["cassette"]>;
}

const MAX_CASSETTE_BYTES = 16_777_216;

/**
 * Loads a workflow file against everything that this version of troupe has. Problems of its content are in
 * the result. Raises FILE_* errors, CASSETTE_INVALID, CASSETTE_UNPLAYED, BACKEND_UNKNOWN and what codeOf raises.
 */
export async function loadFile(machine: Machine, request: FileRequest): Promise<LoadedFile> {
  const { file, text } = request;
  const { options, cassette } = await prepareLoading(machine, request);
  const loaded =
    text === undefined
      ? await loadWorkflowFile(file, options)
      : await readWorkflow(text, file, options);
  return cassette === undefined ? loaded : { ...loaded, cassette };
}

/** What a file is loaded with. */
interface LoadPreparation {
  readonly options: ReadOptions;
  readonly cassette: RunRecipe["cassette"] | undefined;
}

/** Everything that decides how a file is read. Raises CASSETTE_INVALID, CASSETTE_UNPLAYED, BACKEND_UNKNOWN and what codeOf raises. */
async function prepareLoading(machine: Machine, request: FileRequest): Promise<LoadPreparation> {
  const cassette =
    request.cassette === undefined ? undefined : await readCassette(request.cassette);
  const backend = request.backend ?? (cassette === undefined ? undefined : "script");
  const config = await configOf(machine);
  const { settings } = config;
  const code = await codeOf(machine, ownCode(request));
  const own = code.backends.map(({ name }) => name);
  const known = [...new Set([...knownBackends, ...configuredBackends(config), ...own])];
  if (backend !== undefined && !known.includes(backend)) throw backendUnknown({ backend, known });
  // A stand-in that plays no cassette would ask a model for what the cassette answers.
  const plays = describeBackend(backend ?? "")?.takes?.includes("script") === true;
  if (cassette !== undefined && !plays)
    throw cassetteUnplayed({ file: cassette.recipe.file, backend: backend ?? "" });
  const options: ReadOptions = {
    shapes: workflowShapes,
    patterns: knownPatterns(code),
    stepTypes: knownStepTypes(code),
    // Whoever calls from code may give the functions when the run starts.
    routeTests: request.codeAgents?.isOpen ? undefined : code.routes.map(({ name }) => name),
    workflowRegistry: createWorkflowRegistry(machine, config),
    agentTypes: createAgentTypeFinder(machine),
    backends: known,
    traitsOf: (name) => {
      const traits =
        describeBackend(isOfModels(name, settings) ? MODEL.name : name) ??
        code.backends.find((each) => each.name === name);
      return request.keptBackends?.includes(name) === true ? { ...traits, isFixed: true } : traits;
    },
    loadModelProblem: () => loadModelProblem(settings),
    refusedArgument: (name, args) => {
      const refused = describeBackend(name)?.refuses;
      return refused === undefined ? undefined : refusedIn(args, refused);
    },
    scriptSchema: turnListSchema,
    tools: [
      ...builtInTools.map(({ name }) => name),
      ...code.backends.flatMap(({ tools = [] }) => tools),
    ],
    environment: Object.keys(machine.env).filter((name) => machine.env[name] !== undefined),
    withheld: withheldNames(machine.env, settings.env?.allow ?? []),
    troupeDirectory: machine.project.troupeDirectory,
    projectRoot: machine.project.root,
    cwd: machine.project.cwd,
    ...(await configuredOptions(machine, settings)),
    codeAgents: request.codeAgents,
    importFrom: request.importFrom,
    until: request.until,
    params: request.params,
    backendOverride: backend,
    overridesAlso:
      cassette !== undefined ? (agent) => cassetteCovers(cassette.turns, agent) : undefined,
  };
  return { options, cassette: cassette?.recipe };
}

async function readCassette(given: NonNullable<FileRequest["cassette"]>): Promise<{
  readonly recipe: NonNullable<RunRecipe["cassette"]>;
  readonly turns: Cassette;
}> {
  const { parseCassette } = await import("../../agents/backends/script/load-cassette.ts");
  const recipe =
    typeof given === "string"
      ? { file: given, source: await readTextFile(given, MAX_CASSETTE_BYTES) }
      : given;
  return { recipe, turns: parseCassette(recipe.source, recipe.file) };
}

/** Whether a name of the configuration is a provider whose models are agents. */
function isOfModels(name: string, { backends = {} }: ConfigSettings): boolean {
  return Object.hasOwn(backends, name) && backends[name]?.type === "model";
}

/** Tells why nobody has the model of an agent, whatever the environment holds. */
async function loadModelProblem(
  settings: ConfigSettings,
): Promise<NonNullable<LoadOptions["modelProblem"]>> {
  const { modelProblem } = await import("../../agents/backends/parts/model-providers.ts");
  const { backends = {} } = settings;
  return ({ id, backend, model }) => {
    if (backend !== MODEL.name && !isOfModels(backend, settings)) return undefined;
    const said = Object.hasOwn(backends, backend) ? backends[backend] : undefined;
    const own = { name: backend, settings: said };
    const problem = modelProblem(model, { own, settings: backends });
    return problem === undefined ? undefined : settingsInvalid({ agent: id, problem });
  };
}

/** What the configuration decides about a workflow file that says nothing itself. */
async function configuredOptions(
  { env, project }: Pick<Machine, "env" | "project">,
  settings: ConfigSettings,
): Promise<
  Pick<
    LoadOptions,
    "defaultBackend" | "agentDefaults" | "defaultTimeoutMs" | "defaultMaxConcurrency"
  >
> {
  const { timeout, maxConcurrency } = settings.defaults ?? {};
  const { backend } = await chooseDefaultBackend({ env, cwd: project.cwd, settings });
  return {
    defaultBackend: backend,
    agentDefaults: agentDefaults(settings, await usualModel({ env, settings })),
    defaultTimeoutMs: timeout === undefined ? undefined : parseDuration(timeout),
    defaultMaxConcurrency: maxConcurrency,
  };
}

function agentDefaults(
  { defaults = {}, backends = {} }: ConfigSettings,
  usual: string | undefined,
): AgentDefaults {
  const { model, permissionMode } = defaults;
  const models = Object.entries(backends).flatMap(([name, backend]) =>
    backend.model === undefined ? [] : [[name, backend.model] as const],
  );
  return {
    models: {
      ...(usual === undefined ? {} : { [MODEL.name]: usual }),
      ...Object.fromEntries(models),
    },
    model,
    // An agent without a mode asks already.
    permissionMode: permissionMode === "ask" ? undefined : permissionMode,
  };
}
