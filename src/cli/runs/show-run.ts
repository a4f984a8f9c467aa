import type { WaitingItem } from "../../contracts/run.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { toWaitingItem, waitingItems } from "../../fold/waiting.ts";
import type { Json } from "../../foundation/json.ts";
import { type ChildEntry, toChildEntries } from "./show-children.ts";
import { type ShownStep, toStepEntry } from "./show-step.ts";

/** What `show --json` prints beside the run itself. */
export interface ShownRun {
  readonly task: string | null;
  /** Of a step workflow; null without one. */
  readonly input: Json;
  readonly steps: readonly ShownStep[];
  readonly agents: readonly AgentEntry[];
  /** Child runs in the order of their starting. */
  readonly children: readonly ChildEntry[];
  readonly waitingFor: readonly WaitingItem[];
  /** What nobody had answered when the run ended. */
  readonly unanswered: readonly WaitingItem[];
}

interface AgentEntry {
  readonly name: string;
  readonly backend: string;
  readonly status: string;
  readonly turns: number;
  readonly exitReason: string | null;
}

/** Steps, agents and what waits, as they are now. */
export function toShown(state: RunState): ShownRun {
  return {
    task: state.run.task ?? null,
    input: state.run.input ?? null,
    steps: [...state.steps.byPath.values()].map(toStepEntry),
    agents: [...state.agents.values()].map((agent) => ({
      name: agent.id,
      backend: agent.backend,
      status: agent.status,
      turns: agent.turnsEnded,
      exitReason: agent.exit?.reason ?? null,
    })),
    children: toChildEntries(state),
    waitingFor: waitingItems(state),
    unanswered: state.unanswered.map(toWaitingItem),
  };
}
