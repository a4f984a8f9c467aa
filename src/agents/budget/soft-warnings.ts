import type { JournalEvent } from "../../contracts/events/event.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { ancestorsOf } from "../../fold/state/agent-lookup.ts";
import {
  handsOver,
  hasSpawned,
  holderOf,
  type OwnedBudget,
  toldKey,
} from "../../fold/state/budget-reading.ts";
import { softReached } from "./turn-allowance.ts";
import { budgetOfAgent, budgetOfRun, budgetsOfSteps, type StepBudgets } from "./turn-budgets.ts";

/** Journals once per limit that it is nearly reached, for as long as this process owns the run. */
export function warnSoftLimits(runtime: RunRuntime, steps: StepBudgets): void {
  const ofSteps = budgetsOfSteps(steps, [...steps.keys()]);
  const warn = (agents: Iterable<string>) => {
    const ofAgents = [...agents].flatMap((agent) =>
      budgetOfAgent(runtime.state.agents.get(agent)?.spec),
    );
    for (const owned of [...budgetOfRun(runtime.state), ...ofAgents, ...ofSteps])
      warnOf(runtime, owned);
  };
  // A limit that was lowered for the rest of the run may be near from the start.
  runtime.onLive(() => warn(runtime.state.agents.keys()));
  runtime.onAppended((event) => {
    const agent = consumer(event);
    if (agent !== undefined) warn(withAncestors(runtime, agent));
    else if (event.type === "child-spent") warn([]);
  });
}

/** Whose budgets count what an agent uses. */
function withAncestors({ state }: RunRuntime, agent: string): readonly string[] {
  const spec = state.agents.get(agent)?.spec;
  return spec === undefined ? [agent] : [agent, ...ancestorsOf(state, spec)];
}

/** Whose use an event adds to. */
function consumer(event: JournalEvent): string | undefined {
  switch (event.type) {
    case "turn-completed":
    case "turn-failed":
    case "turn-interrupted":
      return event.agent;
    case "pattern-advanced":
      return handsOver(event);
    case "message-posted":
      return event.from;
    case "agent-spawned":
      return event.spec.spawnedBy;
    case "collab-ended":
      return hasSpawned(event) ? event.agent : undefined;
    default:
      return undefined;
  }
}

function warnOf(runtime: RunRuntime, owned: OwnedBudget): void {
  const owner = holderOf(owned);
  for (const { meter, limit, spent } of softReached(runtime.state, owned)) {
    if (runtime.state.budget.told.get(toldKey(owner, meter, "soft")) === limit) continue;
    runtime.append({ type: "budget-warned", cause: "soft", ...owner, meter, limit, spent });
  }
}
