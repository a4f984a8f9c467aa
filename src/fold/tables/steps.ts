import type { EventOf } from "../../contracts/events/event.ts";
import { recordedMs } from "../../foundation/duration.ts";
import type { RunState } from "../state/run-state.ts";
import type { StepPlace, StepState } from "../state/step-state.ts";
import type { FoldTable } from "./fold-table.ts";

/** The latest execution of each step. */
export const stepTable: FoldTable = {
  "pattern-advanced": (state, { kind, data, seq, at }) => {
    state.advances.push({ kind, data, seq, at });
  },
  "reflection-made": (state, event) => {
    const { by, synthesis, focalPoints, adjustments, confidence, importance, seq, at } = event;
    const made = { by, synthesis, focalPoints, adjustments, confidence, importance };
    state.reflections.push({ ...made, seq, at });
  },
  "step-started": (state, event) => put(state, { ...place(state, event), status: "running" }),
  "step-retrying": (state, event) => {
    const { error, delayMs } = event;
    state.steps.retries += 1;
    put(state, { ...place(state, event), status: "retrying", error, delayMs });
  },
  "step-completed": (state, event) =>
    put(state, {
      ...place(state, event),
      status: "completed",
      output: event.output,
      outputTruncated: event.outputTruncated ?? false,
      text: event.text ?? event.output,
      reason: event.reason,
      durationMs: recordedMs(event.durationMs),
      outcome: event.outcome,
      data: event.data,
      command: event.command,
      reusedFrom: event.reusedFrom,
      endedAt: event.at,
    }),
  "step-failed": (state, event) => {
    const { error, data, failure, said = "", at: endedAt } = event;
    const durationMs = recordedMs(event.durationMs);
    const kept = { data, failure, said };
    put(state, { ...place(state, event), status: "failed", error, durationMs, ...kept, endedAt });
  },
  "step-skipped": (state, event) => {
    const { reason, at: endedAt } = event;
    put(state, { ...place(state, event), status: "skipped", reason, endedAt });
  },
  "step-blocked": (state, event) => {
    const { by, at: endedAt } = event;
    put(state, { ...place(state, event), status: "blocked", by, endedAt });
  },
  "step-cancelled": (state, event) => {
    const { reason, at: endedAt } = event;
    put(state, { ...place(state, event), status: "cancelled", reason, endedAt });
  },
  "run-ended": (state, { resumable, reason, at: endedAt, seq }) => {
    if (resumable) return;
    // Nobody goes on with what was under way.
    for (const step of [...state.steps.byPath.values()])
      if (step.status === "running" || step.status === "retrying")
        put(state, { ...step, status: "cancelled", reason, endedAt, seq });
  },
  "tests-changed": (state, { step, files, more }) => {
    state.steps.changedTests.set(step, { files, more });
  },
  "verification-passed": (state, { step, check, seq }) => {
    state.steps.verifications.set(step, {
      check,
      hasPassed: true,
      output: "",
      failure: undefined,
      seq,
    });
  },
  "verification-failed": (state, { step, check, output, failure, seq }) => {
    state.steps.verifications.set(step, { check, hasPassed: false, output, failure, seq });
  },
};

type StepEvent =
  | EventOf<"step-started">
  | EventOf<"step-retrying">
  | EventOf<"step-completed">
  | EventOf<"step-failed">
  | EventOf<"step-skipped">
  | EventOf<"step-blocked">
  | EventOf<"step-cancelled">;

function place(state: RunState, event: StepEvent): StepPlace {
  const known = state.steps.byPath.get(event.path);
  const previous = known?.execution === event.execution ? known : undefined;
  const startedAt = event.type === "step-started" ? event.at : undefined;
  return {
    step: event.step,
    path: event.path,
    execution: event.execution,
    attempt: "attempt" in event ? event.attempt : (previous?.attempt ?? 0),
    agent: ("agent" in event ? event.agent : undefined) ?? previous?.agent,
    label: ("label" in event ? event.label : undefined) ?? previous?.label,
    startedAt: previous?.startedAt ?? startedAt,
    seq: event.seq,
  };
}

function put(state: RunState, step: StepState): void {
  const { byPath, counts, ended } = state.steps;
  const previous = byPath.get(step.path);
  if (previous !== undefined) counts[previous.status] -= 1;
  counts[step.status] += 1;
  byPath.set(step.path, step);
  if (ENDS.has(step.status) && step.path === step.step) ended.push(step.step);
}

const ENDS: ReadonlySet<StepState["status"]> = new Set(["completed", "failed"]);
