import type { AgentSpec } from "../../contracts/agent.ts";
import type { WorkflowDefinition } from "../../contracts/definition.ts";
import type { ResourceLimits } from "../../contracts/host.ts";
import type { StepSpec } from "../../contracts/step.ts";
import { present } from "../../foundation/present.ts";
import type { SecretMasker } from "../../foundation/secret-masker.ts";
import { LIMIT_NAMES, withinCeilings } from "../../host/resource-limits.ts";
import { demandedMarker } from "../../signals/decide-completion.ts";
import type { BackendOrigin } from "../../workflows/resolve/resolve-backend.ts";
import { resourceLimits } from "../machine/config/agent-policy.ts";
import type { Config } from "../machine/config/config.ts";
import type { AgentProblem } from "../run/owner/preflight.ts";
import type { PlannedStep } from "../workflow/shapes/planned-step.ts";
import type { Rehearsal } from "./rehearse.ts";
import type { PlannedAgent, PlannedLimit } from "./run-plan.ts";
import type { StandInTraits } from "./stand-in-backend.ts";

/** Steps in the order in which the rehearsal asked for them; those that it never reached come last. */
export function inOrder(steps: readonly StepSpec[], { started }: Rehearsal): readonly StepSpec[] {
  const places = new Map(started.map((step, place) => [step, place]));
  const place = ({ id }: StepSpec) => places.get(id) ?? Infinity;
  // Infinity minus itself is no number.
  return steps.toSorted((left, right) =>
    place(left) === place(right) ? 0 : place(left) - place(right),
  );
}

/** A step as a run would carry it out. */
export function toPlannedStep(
  step: StepSpec,
  { agents }: WorkflowDefinition,
  traits: (backend: string) => StandInTraits,
): PlannedStep {
  const agent = agents.find(({ id }) => id === step.agent);
  const speaks = step.agent !== undefined;
  const demandsSignal =
    agent?.demandsSignal ?? (speaks && traits(agent?.backend ?? "").demandsSignal);
  return {
    id: step.id,
    agent: step.agent ?? null,
    type: typeOf(step),
    dependsOn: step.dependsOn,
    routes: {},
    settings: settingsOf(step),
    when: step.when ?? null,
    mayBeSkipped: step.when !== undefined || step.runs === "on-failure",
    expects: demandedMarker({ expects: step.expects, demandsSignal }) ?? null,
    maxAttempts: step.maxAttempts,
    retryDelayMs: step.retryDelayMs,
    timeoutMs: step.timeoutMs ?? null,
    verify: step.verify,
    fallback: step.fallback,
    escalateTo: step.escalateTo ?? null,
    budget: step.budget ?? null,
  };
}

function typeOf({ run, gathers }: StepSpec): string | null {
  if (gathers !== undefined) return "matrix";
  return run === undefined ? null : "command";
}

/** What a step is told beside agent and prompt, with the keys of the file. */
function settingsOf(step: StepSpec): PlannedStep["settings"] {
  const { run, runs, instance, gathers } = step;
  const { maxConcurrency, failFast = false } = gathers ?? {};
  const { command, cwd, allowFailure } = run ?? {};
  return {
    ...(command === undefined ? {} : { command }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(allowFailure === true ? { allowFailure } : {}),
    ...present({ runs, maxConcurrency }),
    ...(instance === undefined ? {} : { matrix: { ...instance.matrix } }),
    ...(failFast ? { failFast } : {}),
    ...undoingOf(step),
  };
}

/** How a step is undone. */
function undoingOf({ compensate }: StepSpec): PlannedStep["settings"] {
  if (compensate === undefined) return {};
  if ("run" in compensate) return { compensate: { command: compensate.run.command } };
  return { compensate: { agent: compensate.agent, prompt: compensate.prompt } };
}

/** What is known of agents beyond what the definition says. */
export interface AgentKnowledge {
  readonly config: Pick<Config, "settings" | "ceilings">;
  /** Where agents work that name no directory. */
  readonly cwd: string;
  readonly backendOrigins: ReadonlyMap<string, BackendOrigin> | undefined;
  readonly masker: SecretMasker;
  readonly traits: (backend: string) => StandInTraits;
  readonly rehearsal: Rehearsal | null;
  readonly problems: readonly AgentProblem[];
}

/** An agent as a run would have it. */
export function toPlannedAgent(spec: AgentSpec, known: AgentKnowledge): PlannedAgent {
  const { cwd, backendOrigins, masker, traits, rehearsal, problems } = known;
  const spawned = rehearsal?.agents.find(({ id }) => id === spec.id) ?? spec;
  const { command = null, systemPrompt } = spawned.settings ?? {};
  const own = problems.filter(({ agent }) => agent === spec.id);
  return {
    id: spec.id,
    name: spawned.name ?? null,
    role: spec.role ?? null,
    backend: spec.backend,
    backendFrom: backendOrigins?.get(spec.id) ?? null,
    model: spec.model ?? null,
    command: masker.maskJson(command),
    systemPrompt: typeof systemPrompt === "string" ? masker.mask(systemPrompt) : null,
    session: spec.session ?? "fresh",
    cwd: spec.cwd ?? cwd,
    permissionMode: spec.permissionMode ?? "ask",
    isolation: spec.isolation ?? "none",
    conventions: traits(spec.backend).conventions,
    budget: spec.budget ?? null,
    limits: toPlannedLimits(spec.limits ?? {}, known.config),
    shadow: spec.shadow ?? null,
    isReady: own.length === 0,
    problems: own.map(({ agent: _, ...problem }) => problem),
  };
}

function toPlannedLimits(
  limits: Partial<ResourceLimits>,
  { settings, ceilings }: AgentKnowledge["config"],
): readonly PlannedLimit[] {
  const configured = resourceLimits(settings.limits?.agent);
  const bounded = withinCeilings(limits, ceilings);
  return LIMIT_NAMES.flatMap((resource) => {
    const { [resource]: asked } = limits;
    const { [resource]: given } = bounded;
    if (asked === undefined || given === undefined || asked === configured[resource]) return [];
    return [{ resource, asked, given }];
  });
}
