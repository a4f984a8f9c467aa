import { existsSync } from "node:fs";
import type { AgentSpec } from "../../contracts/agent.ts";
import type { AgentFunction } from "../../contracts/agent-function.ts";
import type { AgentBackend, BackendShelf } from "../../contracts/backend.ts";
import type { Budget } from "../../contracts/budget.ts";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { TurnEstimate } from "../../contracts/ports/pattern.ts";
import type { Json } from "../../foundation/json.ts";
import type { SecretMasker } from "../../foundation/secret-masker.ts";
import { createHost, type ProcessHost } from "../../host/host.ts";
import type { BackendOrigin } from "../../workflows/resolve/resolve-backend.ts";
import { graphOfDefinition } from "../history/draw-graph.ts";
import { openBackends } from "../machine/backends/backend-shelf.ts";
import { lookUpBackend } from "../machine/backends/backend-state.ts";
import type { ConfigSettings } from "../machine/config/config-settings.ts";
import { configOf, maskerOf, withConfiguredBudget } from "../machine/effective/effective-config.ts";
import type { Machine } from "../machine/machine.ts";
import { VERSION } from "../machine/place/version.ts";
import { createPricing } from "../machine/prices/pricing.ts";
import { type AgentProblem, findAgentProblems } from "../run/owner/preflight.ts";
import type { StartOptions } from "../run/start-run.ts";
import type { WorkflowCode } from "../workflow/code/workflow-code.ts";
import { codeOf } from "../workflow/plugins/code-of.ts";
import type { PlannedChild } from "../workflow/shapes/planned-step.ts";
import { shapeOf } from "../workflow/shapes/registry.ts";
import type { RunRecipe } from "../workflow/shapes/run-recipe.ts";
import type { FlowPlan, WorkflowShape } from "../workflow/shapes/shape.ts";
import { findEarlierRuns } from "./earlier-runs.ts";
import { estimateRun } from "./estimate-run.ts";
import { inOrder, toPlannedAgent, toPlannedStep } from "./plan-members.ts";
import { type Rehearsal, rehearse } from "./rehearse.ts";
import type { RunPlan } from "./run-plan.ts";
import { type StandInTraits, unknownTraits } from "./stand-in-backend.ts";

/** The run that is planned. */
export interface PlanRequest {
  readonly definition: WorkflowDefinition;
  readonly start: Pick<
    StartOptions,
    "task" | "params" | "input" | "file" | "instance" | "cassette" | "timeoutMs" | "budget"
  >;
  /** What decided on each agent's backend, as the file was loaded. */
  readonly backendOrigins?: ReadonlyMap<string, BackendOrigin>;
}

/**
 * Finds out what a run would do, from a rehearsal of its real program on which nothing is carried out:
 * starts nothing, writes nothing. Raises WORKFLOW_UNKNOWN_PATTERN and what codeOf raises.
 */
export async function planRun(machine: Machine, request: PlanRequest): Promise<RunPlan> {
  const config = await configOf(machine);
  const { settings } = config;
  const code = await codeOf(machine);
  const shape = await shapeOf(request.definition, code);
  const definition = withConfiguredBudget(shape.complete(request.definition), settings);
  const budget: Budget = { ...definition.budget, ...request.start.budget };
  const masker = await maskerOf(machine, { definition });
  const scene = { machine, request, settings, shape, definition, budget, masker, code };
  const { backend, problems } = await askBackends(scene);
  const traits = (name: string) => backend(name) ?? unknownTraits(name);
  const { rehearsal, ...flow } = await foresee(scene, traits);
  const { cwd } = machine.project;
  const { backendOrigins } = request;
  const agents = definition.agents.map((spec) =>
    toPlannedAgent(spec, { config, cwd, backendOrigins, masker, traits, rehearsal, problems }),
  );
  return compose(scene, { ...flow, rehearsal, agents, isFree: isFree(definition, backend) });
}

interface Foreseen extends FlowPlan {
  readonly patternTurns: TurnEstimate | undefined;
  /** Null where what happens decides which steps are carried out. */
  readonly rehearsal: Rehearsal | null;
}

/** What steps will do and agents will be told: found out by a rehearsal, or read. */
async function foresee(
  scene: Scene,
  traits: (backend: string) => StandInTraits,
): Promise<Foreseen> {
  const { definition, request, settings, shape } = scene;
  const { plan } = shape;
  if (plan.kind === "read")
    return {
      ...plan.read(definition, request.start),
      patternTurns: undefined,
      rehearsal: null,
    };
  const rehearsal = await rehearse({
    definition,
    shape,
    plan,
    created: toCreated(scene),
    traits,
    spawnLimits: settings.limits ?? {},
  });
  const { maxTurns, turns: patternTurns } = await shape.limits(definition);
  return {
    steps: inOrder(shape.steps(definition), rehearsal).map((step) =>
      toPlannedStep(step, definition, traits),
    ),
    prompts: rehearsal.prompts,
    ...(maxTurns === undefined ? {} : { maxTurns }),
    patternTurns,
    rehearsal,
  };
}

interface Scene {
  readonly machine: Machine;
  readonly request: PlanRequest;
  readonly settings: ConfigSettings;
  readonly shape: WorkflowShape;
  readonly definition: WorkflowDefinition;
  readonly budget: Budget;
  /** A plan is shown, so it holds no secret. */
  readonly masker: SecretMasker;
  readonly code: WorkflowCode;
}

type FindBackend = (name: string) => AgentBackend | undefined;

interface Asked {
  readonly backend: FindBackend;
  readonly problems: readonly AgentProblem[];
}

/** Asks the real backends what they need and what they are like; they carry nothing out. */
async function askBackends({
  machine,
  request,
  settings,
  definition,
  budget,
  code: { backends: own },
}: Scene): Promise<Asked> {
  const { clock, env, project } = machine;
  const { cassette, file } = request.start;
  const host = createHost({ run: "", clock, env, allowEnv: settings.env?.allow ?? [] });
  try {
    const { agents } = definition;
    const backends = await backendsToPlan(machine, { host, agents, settings, cassette, own });
    const problems = await findAgentProblems(definition, {
      backend: (name) => backends.load(name),
      lookUp: (name) => lookUpBackend(name, { env, cwd: project.cwd, settings, own }),
      limits: { budget, pricing: createPricing(settings) },
      ...(file === undefined ? {} : { file }),
    });
    return { backend: (name) => backends.find(name), problems };
  } finally {
    await host.close();
  }
}

function toCreated({ machine, request, definition }: Scene) {
  const { file, instance = "default", task, params = {} } = request.start;
  return {
    workflow: definition.name,
    instance,
    troupe: VERSION,
    cwd: machine.project.cwd,
    ...(file === undefined ? {} : { file }),
    ...(task === undefined ? {} : { task: task.toWellFormed() }),
    params,
  };
}

function isFree({ agents }: WorkflowDefinition, backend: FindBackend): boolean {
  return agents.every((spec) => backend(spec.backend)?.metering === "free");
}

interface Found extends Foreseen, Pick<RunPlan, "agents"> {
  readonly isFree: boolean;
}

async function compose(scene: Scene, found: Found): Promise<RunPlan> {
  const { rehearsal, steps, agents, maxTurns, patternTurns, isFree } = found;
  const { machine, request, shape, definition, budget, masker, code } = scene;
  const { name: workflow } = definition;
  const { maxConcurrency, onFailure, guards = null } = await shape.limits(definition);
  const { file = null, instance = "default", task, input = null, params = {} } = request.start;
  const timeoutMs = request.start.timeoutMs ?? definition.timeoutMs;
  const { nodes, edges } = await graphOfDefinition(definition, code);
  const prompts = found.prompts.map(({ text, ...rest }) => ({
    ...rest,
    text: masker.mask(text),
  }));
  const isBounded = Object.keys(budget).length > 0;
  const earlier = findEarlierRuns(machine, workflow, createPricing(scene.settings));
  return {
    v: 1,
    ...{ workflow, pattern: shape.label(definition), file, instance },
    task: task === undefined ? null : masker.mask(task),
    input: masker.maskJson(input),
    params: masked(params, masker),
    cwd: machine.project.cwd,
    graph: { nodes, edges },
    setup: shape.commands(definition).map((command) => masker.mask(command)),
    ...{ agents, prompts },
    steps: steps.map((step) => ({ ...step, settings: masked(step.settings, masker) })),
    children: await childrenOf(shape, definition),
    limits: {
      timeoutMs: timeoutMs ?? null,
      maxConcurrency,
      onFailure,
      budget: isBounded ? budget : null,
      guards,
    },
    estimate: estimateRun({
      ...{ steps, prompts, maxTurns, patternTurns },
      ...{ budget, timeoutMs, earlier, isFree },
    }),
    rehearsal: rehearsal === null ? null : { outcome: rehearsal.outcome, reason: rehearsal.reason },
  };
}

type Members = { readonly [name: string]: Json };

function masked(members: Members, masker: SecretMasker): Members {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, masker.maskJson(value)]),
  );
}

function childrenOf(
  { children }: WorkflowShape,
  definition: WorkflowDefinition,
): Promise<readonly PlannedChild[]> {
  const entries = Object.entries(children?.(definition) ?? {});
  return Promise.all(
    entries.map(async ([name, child]) => {
      const shape = await shapeOf(child);
      return {
        name,
        workflow: child.name,
        pattern: shape.label(child),
        agents: child.agents.map(({ id, backend }) => ({ id, backend })),
        steps: shape.ordered(shape.complete(child)).map(({ id }) => id),
      };
    }),
  );
}

/** What the backends of a plan are made of. */
interface PlannedBackendParts {
  readonly host: ProcessHost;
  readonly agents: readonly AgentSpec[];
  readonly settings: ConfigSettings;
  readonly cassette: RunRecipe["cassette"];
  readonly own: WorkflowCode["backends"];
}

/** The backends of this version as a run would have them, all loaded, to be asked only. */
async function backendsToPlan(
  { clock }: Machine,
  { host, agents, settings, cassette, own }: PlannedBackendParts,
): Promise<BackendShelf> {
  const functions = presentModules(agents);
  const importModule = (path: string) => Promise.reject(new Error(`there is no file ${path}`));
  const parts = { host, clock, functions, importModule, own, cassette };
  const backends = await openBackends(parts, settings);
  await backends.loadAll();
  return backends;
}

/** Loading a module would run what it holds: that the file exists has to do. */
function presentModules(agents: readonly AgentSpec[]): ReadonlyMap<string, AgentFunction> {
  const present = agents.filter(({ settings = {} }) => {
    const { module } = settings;
    return typeof module === "string" && existsSync(module.slice(0, module.lastIndexOf("#")));
  });
  return new Map(present.map(({ id }) => [id, () => ""]));
}
