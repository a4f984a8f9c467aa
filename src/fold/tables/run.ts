import { recordedMs } from "../../foundation/duration.ts";
import type { FoldTable } from "./fold-table.ts";

/** What the run was started with, where it is in its life, and who owns it. */
export const runTable: FoldTable = {
  "run-created": (state, event) => {
    state.run = {
      id: state.run.id,
      workflow: event.workflow,
      instance: event.instance,
      program: event.program,
      definitionHash: event.definitionHash,
      seed: event.seed,
      troupe: event.troupe,
      cwd: event.cwd,
      file: event.file,
      fileHash: event.fileHash,
      repository: event.repository,
      task: event.task,
      params: event.params ?? {},
      input: event.input,
      parent: event.parent,
      reuse: event.reuse,
      startedBelow: event.startedBelow,
      schedule: event.schedule,
      forkedFrom: undefined,
      laterSeeds: [],
      revisedSteps: [],
      limits: event.limits,
      configuration: event.configuration,
      createdAt: event.at,
      startedAt: undefined,
    };
  },
  "definition-changed": (state, { definitionHash, file, fileHash }) => {
    state.run = { ...state.run, definitionHash, file, fileHash };
  },
  "run-started": (state, event) => {
    state.run = { ...state.run, startedAt: state.run.startedAt ?? event.at };
    state.phase = { status: "running" };
    state.epoch = event.epoch;
  },
  "run-resumed": (state, event) => {
    const { limits = state.run.limits, configuration = state.run.configuration } = event;
    state.run = { ...state.run, limits, configuration };
    state.phase = { status: "running" };
    state.epoch = event.epoch;
  },
  "run-suspended": (state, event) => {
    state.phase = {
      status: "suspended",
      reason: event.reason,
      waitingFor: event.waitingFor,
      exitCode: event.exitCode,
      error: event.error,
      suspendedAt: event.at,
    };
  },
  "run-ended": (state, event) => {
    state.phase = {
      status: "ended",
      outcome: event.outcome,
      reason: event.reason,
      resumable: event.resumable,
      exitCode: event.exitCode,
      durationMs: recordedMs(event.durationMs),
      result: event.result,
      error: event.error,
      endedAt: event.at,
    };
  },
  "cancellation-requested": (state, event) => {
    // The first cancellation is the one that the program sees.
    state.cancellation ??= { reason: event.reason, by: event.by, seq: event.seq };
  },
  "requests-refused": (state, { code, count }) => {
    state.refusedRequests.set(code, (state.refusedRequests.get(code) ?? 0) + count);
  },
  log: (state, event) => {
    state.logs[event.level] += 1;
  },
};
