import type { AgentBackend } from "../../contracts/backend.ts";
import type { Budget } from "../../contracts/budget.ts";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { SecretMasker } from "../../foundation/secret-masker.ts";
import { createHost } from "../../host/host.ts";
import type { BackendOrigin } from "../../workflows/resolve/resolve-backend.ts";
import type { ConfigSettings } from "../config/config-settings.ts";
import { configOf, maskerOf, withConfiguredBudget } from "../config/effective-config.ts";
import { lookUpBackend } from "../doctor/backend-state.ts";
import { graphOfDefinition } from "../draw-graph.ts";
import type { Machine } from "../machine.ts";
import { type AgentProblem, findAgentProblems } from "../preflight.ts";
import { createPricing } from "../prices/pricing.ts";
import { shapeOf } from "../shapes/registry.ts";
import type { StartOptions } from "../start-run.ts";
import { VERSION } from "../version.ts";
import { createBackendsToPlan } from "./backends-to-plan.ts";
import { findEarlierRuns } from "./earlier-runs.ts";
import { estimateRun } from "./estimate-run.ts";
import { inOrder, toPlannedAgent, toPlannedStep } from "./plan-members.ts";
import { type Rehearsal, rehearse } from "./rehearse.ts";
import type { RunPlan } from "./run-plan.ts";
import { unknownTraits } from "./stand-in-backend.ts";

/** The run that is planned. */
export interface PlanRequest {
  readonly definition: WorkflowDefinition;
  readonly start: Pick<
    StartOptions,
    "task" | "params" | "file" | "instance" | "cassette" | "timeoutMs" | "budget"
  >;
  /** What decided on each agent's backend, as the file was loaded. */
  readonly backendOrigins?: ReadonlyMap<string, BackendOrigin>;
}

/**
 * Finds out what a run would do, from a rehearsal of its real program on which nothing is carried out:
 * starts nothing, writes nothing. Raises CONFIG_INVALID and WORKFLOW_UNKNOWN_PATTERN.
 */
export async function planRun(machine: Machine, request: PlanRequest): Promise<RunPlan> {
  const { settings } = await configOf(machine);
  const definition = withConfiguredBudget(complete(request.definition), settings);
  const budget: Budget = { ...definition.budget, ...request.start.budget };
  const masker = await maskerOf(machine);
  const scene = { machine, request, settings, definition, budget, masker };
  const { backend, problems } = await askBackends(scene);
  const traits = (name: string) => backend(name) ?? unknownTraits(name);
  const rehearsal = await rehearse({
    definition,
    created: toCreated(scene),
    traits,
    spawnLimits: settings.limits ?? {},
  });
  const steps = inOrder(shapeOf(definition).steps(definition), rehearsal).map((step) =>
    toPlannedStep(step, definition, traits),
  );
  const { cwd } = machine.project;
  const { backendOrigins } = request;
  const agents = definition.agents.map((spec) =>
    toPlannedAgent(spec, { cwd, backendOrigins, masker, traits, rehearsal, problems }),
  );
  return compose(scene, { rehearsal, steps, agents, isFree: isFree(definition, backend) });
}

function complete(given: WorkflowDefinition): WorkflowDefinition {
  return shapeOf(given).complete(given);
}

interface Scene {
  readonly machine: Machine;
  readonly request: PlanRequest;
  readonly settings: ConfigSettings;
  readonly definition: WorkflowDefinition;
  readonly budget: Budget;
  /** A plan is shown, so it holds no secret. */
  readonly masker: SecretMasker;
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
}: Scene): Promise<Asked> {
  const { clock, env, project } = machine;
  const { cassette, file } = request.start;
  const host = createHost({ run: "", clock, env, allowEnv: settings.env?.allow ?? [] });
  try {
    const { agents } = definition;
    const backend = createBackendsToPlan(machine, { host, agents, settings, cassette });
    const problems = await findAgentProblems(definition, {
      backend: (name) => {
        const found = backend(name);
        if (found === undefined) throw new Error(`backend "${name}" is not part of this version`);
        return found;
      },
      lookUp: (name) => lookUpBackend(name, { env, cwd: project.cwd, settings }),
      limits: { budget, pricing: createPricing(settings) },
      ...(file === undefined ? {} : { file }),
    });
    return { backend, problems };
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

interface Found extends Pick<RunPlan, "steps" | "agents"> {
  readonly rehearsal: Rehearsal;
  readonly isFree: boolean;
}

function compose(scene: Scene, { rehearsal, steps, agents, isFree: free }: Found): RunPlan {
  const { machine, request, definition, budget, masker } = scene;
  const { name: workflow } = definition;
  const shape = shapeOf(definition);
  const { maxConcurrency, onFailure, maxTurns } = shape.limits(definition);
  const { file = null, instance = "default", task, params = {} } = request.start;
  const timeoutMs = request.start.timeoutMs ?? definition.timeoutMs;
  const { nodes, edges } = graphOfDefinition(definition);
  const { outcome, reason } = rehearsal;
  const prompts = rehearsal.prompts.map(({ text, ...rest }) => ({
    ...rest,
    text: masker.mask(text),
  }));
  const isBounded = Object.keys(budget).length > 0;
  const earlier = findEarlierRuns(machine, workflow, createPricing(scene.settings));
  return {
    v: 1,
    ...{ workflow, pattern: shape.label(definition), file, instance },
    task: task === undefined ? null : masker.mask(task),
    params: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, masker.maskJson(value)]),
    ),
    cwd: machine.project.cwd,
    graph: { nodes, edges },
    setup: shape.commands(definition).map((command) => masker.mask(command)),
    ...{ agents, steps, prompts },
    limits: {
      timeoutMs: timeoutMs ?? null,
      maxConcurrency,
      onFailure,
      budget: isBounded ? budget : null,
    },
    estimate: estimateRun({ steps, prompts, maxTurns, budget, timeoutMs, earlier, isFree: free }),
    rehearsal: { outcome, reason },
  };
}
