import type { BudgetMeter } from "../contracts/budget.ts";
import type { Outcome, RunStatus, WaitingItem } from "../contracts/run.ts";
import { toIsoTime } from "../foundation/iso-time.ts";
import { present } from "../foundation/present.ts";
import { runBudget } from "./state/budget-reading.ts";
import type { RunState } from "./state/run-state.ts";
import { childItems, runStatus, waitingItems } from "./waiting.ts";

/** Items of `waitingFor` in a head; `needs` counts beyond it. */
const MAX_HEAD_ITEMS = 20;

/** The one-row summary of a run, stored beside its journal for listings. A type, so that it is Json. */
export type RunHead = {
  readonly v: 1;
  readonly run: string;
  readonly workflow: string;
  readonly instance: string;
  readonly state: RunStatus;
  readonly outcome: Outcome | null;
  /** ISO times. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly steps: { readonly done: number; readonly total: number };
  readonly agents: number;
  /** Null when nothing is known about the cost. */
  readonly costUsd: number | null;
  /** Part of the cost that a price table tells; absent when that is nothing. */
  readonly estimatedUsd?: number;
  /** Turns whose cost is not known and not in `costUsd`; absent without any. */
  readonly unpricedTurns?: number;
  /** The limits of the run and what is used of them; absent without any. */
  readonly budget?: HeadBudget;
  /** Things that people are asked for. */
  readonly needs: number;
  readonly waitingFor: readonly HeadItem[];
  readonly task: string | null;
  readonly cwd: string;
  readonly resumable: boolean;
  readonly exitCode: number | null;
  /** Running time. */
  readonly durationMs: number;
  readonly lastSeq: number;
  /** ISO time of the last event. */
  readonly lastAt: string;
  readonly parent: string | null;
  /** The run of which this is a fork, and the last event that they share. */
  readonly forkedFrom?: { readonly run: string; readonly seq: number };
  /** The schedule that started it, and for which of its times (ISO). */
  readonly schedule?: { readonly name: string; readonly due: string };
};

/** Limits by what they count; of `cost` in USD, of `wallClock` in ms. */
export type HeadBudget = {
  readonly [meter in BudgetMeter]?: {
    readonly limit: number;
    readonly spent: number;
    /** Set aside for turns that have not ended. */
    readonly reserved: number;
  };
};

/** A waiting item in a head. */
export type HeadItem = {
  readonly id: string;
  readonly kind: WaitingItem["kind"];
  readonly text: string;
  readonly step: string | null;
  readonly agent: string | null;
  /** The child run that asks; absent when the run itself does. */
  readonly run?: string;
};

/**
 * The head of a run. Its cost does not depend on the number of steps, agents or messages.
 * `stepTotal` is the number of steps that the definition has; steps that appear only later (loops, spawned
 * work) raise it.
 */
export function toHead(state: RunState, stepTotal: number = 0): RunHead {
  const { run, phase, steps } = state;
  const ended = phase.status === "ended" ? phase : undefined;
  const items = waitingItems(state, MAX_HEAD_ITEMS);
  return {
    v: 1,
    run: run.id,
    workflow: run.workflow,
    instance: run.instance,
    state: runStatus(state),
    outcome: ended?.outcome ?? null,
    startedAt: run.startedAt === undefined ? null : toIsoTime(run.startedAt),
    endedAt: ended === undefined ? null : toIsoTime(ended.endedAt),
    steps: {
      done: steps.counts.completed + steps.counts.skipped,
      total: Math.max(steps.byPath.size, stepTotal),
    },
    agents: state.agents.size,
    costUsd: state.usage.costUsd ?? null,
    ...doubtsOf(state),
    ...budgetOf(state),
    needs:
      items.length < MAX_HEAD_ITEMS
        ? items.length
        : state.inbox.size + state.suspendedAsks.size + childItems(state).length,
    waitingFor: items.map(toHeadItem),
    task: run.task ?? null,
    cwd: run.cwd,
    resumable: phase.status === "ended" ? phase.resumable : true,
    exitCode: phase.status === "ended" || phase.status === "suspended" ? phase.exitCode : null,
    durationMs: ended?.durationMs ?? state.runningTime.totalMs,
    lastSeq: state.lastSeq,
    lastAt: toIsoTime(state.lastAt),
    parent: run.parent?.run ?? null,
    ...present({ forkedFrom: run.forkedFrom, schedule: run.schedule }),
  };
}

function doubtsOf({
  usage: { estimatedUsd = 0 },
  unpricedTurns,
}: RunState): Pick<RunHead, "estimatedUsd" | "unpricedTurns"> {
  return {
    ...(estimatedUsd === 0 ? {} : { estimatedUsd }),
    ...(unpricedTurns === 0 ? {} : { unpricedTurns }),
  };
}

function budgetOf(state: RunState): Pick<RunHead, "budget"> {
  const uses = runBudget(state);
  if (uses.length === 0) return {};
  const budget = uses.map(({ meter, limit, spent, reserved }) => [
    meter,
    { limit, spent, reserved },
  ]);
  return { budget: Object.fromEntries(budget) };
}

function toHeadItem(item: WaitingItem): HeadItem {
  const { id, kind, text, run } = item;
  return {
    id,
    kind,
    text: text.length > 500 ? `${text.slice(0, 500).toWellFormed()}…` : text,
    step: item.step ?? null,
    agent: item.agent ?? null,
    ...(run === undefined ? {} : { run }),
  };
}
