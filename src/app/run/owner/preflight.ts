import { describeBackend } from "../../../agents/backends/registry.ts";
import type { AgentSpec } from "../../../contracts/agent.ts";
import type { AgentBackend, BackendProblem, Metering } from "../../../contracts/backend.ts";
import type { Budget } from "../../../contracts/budget.ts";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import type { Pricing } from "../../../contracts/price.ts";
import type { StepSpec } from "../../../contracts/step.ts";
import { toErrorReport } from "../../../foundation/errors.ts";
import type { BackendState } from "../../machine/backends/backend-state.ts";
import { shapeOf } from "../../workflow/shapes/registry.ts";
import { preflightFailed } from "./errors.ts";

/** The limits that agents are checked against before a run starts. */
interface MeteringLimits {
  /** Of the run. */
  readonly budget: Budget | undefined;
  readonly pricing: Pricing;
}

/** An agent with what its backend says of its own turns. */
interface MeteredAgent {
  readonly spec: AgentSpec;
  readonly metering: Metering | undefined;
  /** The budgets of steps that it may work for. */
  readonly stepBudgets: readonly Budget[];
}

/** Why limits on cost and tokens could not be kept for an agent: its backend never tells what they count. */
export function unmeteredProblems(
  { spec, metering, stepBudgets }: MeteredAgent,
  { budget, pricing }: MeteringLimits,
): readonly BackendProblem[] {
  const budgets = [budget, spec.budget, ...stepBudgets];
  const isLimited = (key: "cost" | "tokens") => budgets.some((each) => each?.[key] !== undefined);
  const knowsTokens = metering !== "none";
  const knowsCost = metering !== "none" && (metering !== "tokens" || pricing(spec) !== undefined);
  return [
    ...(isLimited("cost") && !knowsCost ? [costProblem(spec, knowsTokens)] : []),
    ...(isLimited("tokens") && !knowsTokens ? [TOKENS_PROBLEM] : []),
  ];
}

const TOKENS_PROBLEM: BackendProblem = {
  message: "its backend never tells how many tokens it used, so a limit on tokens cannot be kept",
  hint: "limit turns or wallClock instead",
};

function costProblem({ model }: AgentSpec, knowsTokens: boolean): BackendProblem {
  const message = "its backend never tells what a turn cost, so a limit on cost cannot be kept";
  if (!knowsTokens) return { message, hint: "limit turns or wallClock instead" };
  const what =
    model === undefined ? "name its model, and set its price" : `set the price of "${model}"`;
  return { message, hint: `${what} under prices in the configuration, or limit tokens instead` };
}

/** The budgets of steps by the agents that may work for them. */
function budgetsByAgent(steps: readonly StepSpec[]): ReadonlyMap<string, readonly Budget[]> {
  const found = new Map<string, Budget[]>();
  for (const { agent, fallback, escalateTo, budget } of steps) {
    if (budget === undefined) continue;
    for (const id of new Set([agent, ...fallback, escalateTo])) {
      if (id === undefined) continue;
      const budgets = found.get(id) ?? [];
      budgets.push(budget);
      found.set(id, budgets);
    }
  }
  return found;
}

/** Something that keeps an agent from running here. */
export interface AgentProblem extends BackendProblem {
  readonly agent: string;
}

/** What a run needs to be checked. */
export interface PreflightPorts {
  /** The backend of a name. */
  readonly backend: (name: string) => Promise<AgentBackend>;
  /** What is known of a backend without asking it. */
  readonly lookUp: (name: string) => Promise<BackendState>;
  /** The workflow file, as it was named; undefined where there is none or the run is resumed. */
  readonly file?: string | undefined;
  /** What keeps an agent from having its place. Defaults to nothing. */
  readonly place?:
    | ((spec: AgentSpec, backend: AgentBackend) => Promise<readonly BackendProblem[]>)
    | undefined;
  /** The limits that can only be kept for agents whose use is known. Defaults to none. */
  readonly limits?: MeteringLimits | undefined;
}

/** Checks that every agent can run here, all at once and before anything starts. Raises BACKEND_PREFLIGHT_FAILED. */
export async function preflight(
  definition: WorkflowDefinition,
  ports: PreflightPorts,
): Promise<void> {
  const problems = await findAgentProblems(definition, ports);
  if (problems.length === 0) return;
  const failed = new Set(problems.map(({ agent }) => agent));
  // `--backend` stands in for no program of one's own.
  const isReplaceable = definition.agents.some(
    ({ id, backend }) => failed.has(id) && describeBackend(backend)?.isFixed !== true,
  );
  throw preflightFailed({
    problems,
    ...(isReplaceable ? { instead: wayWithout(ports.file) } : {}),
  });
}

/** All that keeps agents from running here, in their order. */
export async function findAgentProblems(
  definition: WorkflowDefinition,
  ports: PreflightPorts,
): Promise<readonly AgentProblem[]> {
  const shape = await shapeOf(definition);
  const budgets = budgetsByAgent(shape.steps(definition));
  const found = await Promise.all(
    definition.agents.map(async (spec): Promise<readonly AgentProblem[]> => {
      const state = await ports.lookUp(spec.backend);
      // Whether an agent is signed in depends on its own environment too: its backend is asked below.
      if (state.status === "missing" || state.status === "unsupported")
        return [{ agent: spec.id, ...toProblem(state, ports.file) }];
      try {
        const backend = await ports.backend(spec.backend);
        const { metering } = backend;
        const problems = [
          ...(await backend.check(spec)),
          ...((await ports.place?.(spec, backend)) ?? []),
          ...unmeteredProblems(
            { spec, metering, stepBudgets: budgets.get(spec.id) ?? [] },
            ports.limits ?? NO_LIMITS,
          ),
        ];
        return problems.map((problem) => ({ agent: spec.id, ...problem }));
      } catch (error) {
        const { message, hint } = toErrorReport(error);
        return [{ agent: spec.id, message, ...(hint === undefined ? {} : { hint }) }];
      }
    }),
  );
  return found.flat();
}

const NO_LIMITS: MeteringLimits = { budget: undefined, pricing: () => undefined };

function toProblem({ message, hint }: BackendState, file: string | undefined): BackendProblem {
  return { message, hint: hint ?? wayWithout(file) };
}

function wayWithout(file = "FILE"): string {
  // A name with other characters would have to be quoted for a shell.
  const shown = /^[\w./-]+$/.test(file) && !file.startsWith("-") ? file : "FILE";
  return `try it without any: troupe run ${shown} --backend script`;
}
