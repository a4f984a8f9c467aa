import { shownMessage } from "../../../fold/failed-output.ts";
import { findAgent } from "../../../fold/state/agent-lookup.ts";
import type { StepState } from "../../../fold/state/step-state.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import { toPrintable } from "../../../foundation/printable.ts";
import { excerpt } from "../parts/excerpt.ts";
import type { LiveModel, PlannedRow } from "./live-model.ts";
import type { LiveRow } from "./live-row.ts";
import { formatAge } from "./row-times.ts";
import { type RunningTurn, tellActivity } from "./running-turns.ts";

const MAX_TEXT_CHARS = 400;

/** What a step row is made with. */
export interface StepRowContext extends LiveModel {
  /** The turn that serves a step now, by the step's path. */
  readonly turns: ReadonlyMap<string, RunningTurn>;
  readonly ellipsis: string;
  /** In front of how often a step was carried out. */
  readonly times: string;
}

/** A row for each step: those of the definition in its order, then those that came up only in the run. */
export function stepRows(context: StepRowContext): readonly LiveRow[] {
  const { byPath } = context.state.steps;
  const planned = new Set(context.plan.map(({ id }) => id));
  const others = [...byPath.values()].filter(({ path }) => !planned.has(path));
  return [
    ...context.plan.map((step) => {
      const state = byPath.get(step.id);
      return state === undefined ? waitingRow(step, context) : startedRow(state, step, context);
    }),
    ...others.map((state) => startedRow(state, undefined, context)),
  ];
}

/** What a step that has not started waits for: the steps before it that are not over. */
export function unmetDependencies(step: PlannedRow, { state }: LiveModel): readonly string[] {
  return step.dependsOn.filter((id) => {
    const status = state.steps.byPath.get(id)?.status;
    return status !== "completed" && status !== "skipped";
  });
}

function waitingRow(step: PlannedRow, context: StepRowContext): LiveRow {
  const unmet = unmetDependencies(step, context);
  return {
    ...place(step.id, step.agent),
    group: "waiting",
    sign: "waiting",
    time: "",
    text: waitText(step, unmet),
    isTicking: false,
  };
}

function waitText({ isRouted = false, dependsOn }: PlannedRow, unmet: readonly string[]): string {
  if (isRouted) return dependsOn.length === 0 ? "" : `after ${toPrintable(dependsOn.join(" or "))}`;
  return unmet.length === 0 ? "next" : `waits for ${toPrintable(unmet.join(", "))}`;
}

function startedRow(
  step: StepState,
  planned: PlannedRow | undefined,
  context: StepRowContext,
): LiveRow {
  return { ...place(step.path, step.agent ?? planned?.agent), ...progress(step, context) };
}

function place(path: string, agent: string | undefined) {
  const name = toPrintable(path);
  const who = agent === undefined || agent === path ? "" : toPrintable(agent);
  return { id: `step:${path}`, name, who, agent, path, item: undefined };
}

type StepProgress = Pick<LiveRow, "group" | "sign" | "time" | "text" | "isTicking">;

function progress(step: StepState, context: StepRowContext): StepProgress {
  const shorten = (text: string) =>
    excerpt(text, { maxChars: MAX_TEXT_CHARS, ellipsis: context.ellipsis });
  switch (step.status) {
    case "running":
      return workingProgress(step, context);
    case "retrying": {
      const text = `attempt ${step.attempt} failed: ${shorten(shownMessage(step.error))} [${step.error.code}]`;
      const time = formatAge(context.nowMs - (step.startedAt ?? context.nowMs));
      return { group: "retrying", sign: "retry", time, text, isTicking: true };
    }
    case "failed": {
      const why = `${shorten(shownMessage(step.error))} [${step.error.code}]`;
      const text = [why, ...repeated(step, context)].join(", ");
      const time = formatDuration(step.durationMs);
      return { group: "failed", sign: "failed", time, text, isTicking: false };
    }
    case "completed": {
      const time = formatDuration(step.durationMs);
      const often = [...repeated(step, context), ...retried(step)];
      const text = [shorten(step.output), ...often].filter(Boolean).join(", ");
      return { group: "done", sign: "done", time, text, isTicking: false };
    }
    case "skipped":
      return over("skipped", `skipped: ${shorten(step.reason)}`);
    case "cancelled":
      return over("failed", `cancelled: ${shorten(step.reason)}`);
    case "blocked":
      return over("failed", `blocked by ${shorten(step.by.join(", "))}`);
  }
}

function workingProgress(step: StepState, context: StepRowContext): StepProgress {
  const turn = context.turns.get(step.path);
  const time = formatAge(context.nowMs - (step.startedAt ?? context.nowMs));
  const common = { group: "working", time, isTicking: true } as const;
  if (turn === undefined ? isAsked(step, context) : turn.isAsking)
    return { ...common, sign: "paused", text: "waits for you" };
  const held = turn === undefined ? waitOf(step, context) : undefined;
  if (held !== undefined) return { ...common, group: "retrying", sign: "retry", text: held };
  const again = [
    ...repeated(step, context),
    ...(step.attempt > 1 ? [`attempt ${step.attempt}`] : []),
  ];
  const text = [...again, ...tellActivity(turn, context.ellipsis)].join(": ");
  return { ...common, sign: "spinner", text };
}

/** What the agent of a step says that it waits for before its turn begins. */
function waitOf({ agent: id = "" }: StepState, context: StepRowContext): string | undefined {
  const agent = findAgent(context.state, id);
  if (agent?.statusReason === undefined || agent.status === "stuck") return undefined;
  const { ellipsis } = context;
  return excerpt(agent.statusReason, { maxChars: MAX_TEXT_CHARS, ellipsis });
}

/** Whether a person is asked in the name of the step itself, or nothing but people can move on the run that it waits for. */
function isAsked({ step, path }: StepState, { state }: StepRowContext): boolean {
  const isBlocked = [...state.askingChildren].some((op) => {
    const child = state.children.get(op);
    return child?.isBlocked === true && child.path === path;
  });
  return isBlocked || [...state.inbox.values()].some((item) => item.step === step);
}

/** A step that a way back leads to is carried out again. */
function repeated({ execution }: StepState, { times }: StepRowContext): readonly string[] {
  return execution > 1 ? [`${times}${execution}`] : [];
}

function retried({ attempt }: StepState): readonly string[] {
  return attempt > 1 ? [`${attempt} attempts`] : [];
}

function over(sign: "skipped" | "failed", text: string): StepProgress {
  return { group: "done", sign, time: "", text, isTicking: false };
}
