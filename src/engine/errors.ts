import { defineError } from "../foundation/errors.ts";
import { type ShownProcess, showPid } from "../foundation/show-pid.ts";

export const nondeterminism = defineError("ENGINE_NONDETERMINISM", {
  message: (details: { op: string; recorded: string; asked: string }) =>
    `replay differs from the journal at operation "${details.op}": recorded ${details.recorded}, asked ${details.asked}`,
  hint: () => "run the code that started this run, or start a new run",
  about:
    "A resumed program must ask for the same operations in the same order as before the interruption. It asked for something else, so the code or the definition has changed, or it decides by something that is not journaled (the clock, a random number, a file). Nothing was written; the run can be resumed with the code that started it.",
});

export const foreignPromise = defineError("ENGINE_FOREIGN_PROMISE", {
  message: (details: { run: string }) =>
    `the program of ${details.run} waits for a promise that did not come from its context`,
  hint: () => "put the call inside context.step(...)",
  about:
    "A program may wait only for what its context gives it: everything else would be lost at a crash. The program is pending while no operation is open, so it waits for a timer, a request or a promise of its own.",
});

export const cancelled = defineError("ENGINE_CANCELLED", {
  message: (details: { reason: string }) => `cancelled: ${details.reason}`,
  about:
    "The operation was ended before it was done, because its scope or its run was cancelled. This is an outcome of its own, not a failure to retry.",
});

export const scopeTimedOut = defineError("ENGINE_TIMED_OUT", {
  message: (details: { scope: string; timeoutMs: number }) =>
    `"${details.scope}" did not end within ${details.timeoutMs} ms of running time`,
  about:
    "A scope reached its deadline; everything inside it was cancelled and its processes were ended.",
});

export const operationTimedOut = defineError("ENGINE_STEP_TIMED_OUT", {
  message: (details: { step: string; timeoutMs: number }) =>
    `step "${details.step}" did not end within ${details.timeoutMs} ms`,
  retryable: true,
  about:
    "One attempt of a step reached its deadline and was ended. It is tried again if attempts are left.",
});

export const stepFailed = defineError("ENGINE_STEP_FAILED", {
  message: (details: { step: string; message: string }) =>
    `step "${details.step}" failed: ${details.message}`,
  retryable: true,
  about: "The function of a step threw an error that is not one of Troupe's; its message is shown.",
});

export const recordInvalid = defineError("ENGINE_RECORD_INVALID", {
  message: (details: { problem: string }) =>
    `what a program adds to the trajectory does not fit: ${details.problem}`,
  hint: () =>
    "a decision has `chosen`, a finding and a reflection have `text`, 4,000 characters each",
  about:
    "A program, such as a pattern of your own, adds decisions, findings and reflections to the trajectory of its run with `context.record`. What it gave is none.",
});

export const crashLoop = defineError("ENGINE_CRASH_LOOP", {
  message: (details: { run: string; what: string; deaths: number }) =>
    `the process of ${details.run} died ${details.deaths} times in a row during ${details.what}, without progress in between`,
  hint: ({ run }) =>
    `find out what ends the process (memory?), then resume the run: troupe resume ${run}`,
  about:
    "The process that ran the run died three times in a row during the same operation or turn, and nothing of it happened in between. The run is suspended instead of dying again; nothing is lost, no attempt is used up, and after `troupe resume` counting starts at zero.",
});

export const notRecorded = defineError("ENGINE_NOT_RECORDED", {
  message: (details: { run: string }) =>
    `${details.run} was let go before this could be recorded, so it did not happen`,
  hint: (details) => `try again once somebody runs it: troupe resume ${details.run}`,
  retryable: true,
  about:
    "What happens in a run counts once it is in the journal. The process let go of the run, or could no longer write to its journal, before this was.",
});

export const operationUnknown = defineError("ENGINE_OPERATION_UNKNOWN", {
  message: (details: { kind: string; op: string }) =>
    `nothing here can carry out operation "${details.op}" of kind "${details.kind}"`,
  about: "The program asked for a kind of operation that this process has no handler for.",
});

export const runOwned = defineError("ENGINE_RUN_OWNED", {
  message: (details: { run: string; command: string } & ShownProcess) =>
    `${details.run} is carried out by another process: ${showOwner(details)}`,
  hint: ({ run }) => `watch it: troupe logs -f ${run}, or take part: troupe attach ${run}`,
  about:
    "One process owns a run at a time. Commands such as approve, cancel and pause reach the owner; only resume needs the run for itself. Troupe cannot look up a process on another host or in another container; such an owner counts as gone once it has not renewed its lease for 10 seconds.",
});

export const ownerSilent = defineError("ENGINE_OWNER_SILENT", {
  message: (details: { run: string; command: string } & ShownProcess) =>
    `the owner of ${details.run}, ${showOwner(details)}, is alive but does not answer`,
  hint: ({ where }) =>
    where === undefined
      ? "try again; if it stays silent, end that process and resume the run"
      : `run this command ${where}: a socket cannot be reached from another machine`,
  retryable: true,
  about:
    "The process that owns the run did not answer on its socket within 2 seconds. Sockets work within one machine: an owner on another host, or in a container with a different runtime directory, is reached only from there.",
});

export const ownerFrozen = defineError("ENGINE_OWNER_FROZEN", {
  message: (details: { run: string; command: string; where: string } & ShownProcess) =>
    `the owner of ${details.run}, ${showOwner(details)}, stopped answering while it keeps the journal locked`,
  hint: ({ pid, where }) => `end process ${pid} ${where}, then resume the run`,
  retryable: true,
  about:
    "The lease of the run has lapsed, but its owner still holds the lock of the journal, as a process that was stopped in the middle of a write does. Troupe ends such a process only on its own machine and in its own container, where it can verify which process that is.",
});

export const ownerAwaited = defineError("ENGINE_OWNER_ELSEWHERE", {
  message: (details: { run: string; longestMs: number } & ShownProcess) =>
    `waiting up to ${Math.ceil(details.longestMs / 1000)} s for ${details.run}: owned by pid ${showPid(details)}`,
  about:
    "The process that owns the run is on another host, in another container, or from before a restart, so its pid says nothing here. It counts as gone once it has not renewed its lease for 10 seconds of this machine's clock. If it renews it meanwhile, it lives, and the command is refused or asks it.",
});

function showOwner(owner: { readonly command: string } & ShownProcess): string {
  return `pid ${showPid(owner)} (${owner.command})`;
}

export const workflowProgramNotFound = defineError("ENGINE_PROGRAM_NOT_FOUND", {
  message: (details: { run: string; program: string }) =>
    `${details.run} needs the program "${details.program}", which is not here`,
  hint: ({ run }) =>
    `go on with the version of troupe that started it: troupe logs ${run} --json tells which`,
  about:
    "The journal of a run names the program that carries it out. This version of troupe has none of that name; another one wrote it.",
});

export const runOver = defineError("ENGINE_RUN_OVER", {
  message: (details: { run: string; outcome: string }) =>
    `${details.run} is over: ${details.outcome}`,
  about: "The run has ended, so it takes no more commands.",
});

export const itemUnknown = defineError("ENGINE_ITEM_UNKNOWN", {
  message: (details: { run: string; id: string; kind: string }) =>
    `${details.run} has no ${details.kind} "${details.id}" that waits`,
  hint: () => "list what waits: troupe inbox",
  about: "The approval, permission or question does not exist in this run.",
});

export const itemResolved = defineError("ENGINE_ITEM_RESOLVED", {
  message: ({ id, decision, by, at }: { id: string; decision: string; by: string; at?: string }) =>
    `"${id}" was decided before: ${decision} by ${by}${at === undefined ? "" : ` at ${at}`}`,
  about: "Each approval, permission or question is decided once; the first decision counts.",
});

export const reuseInvalid = defineError("ENGINE_REUSE_INVALID", {
  message: (details: { run: string; problem: string }) =>
    `the table of what ${details.run} may take over cannot be read: ${details.problem}`,
  hint: () => "start the rerun again from the earlier run: troupe rerun RUN --failed",
  about:
    "A rerun keeps in its journal what it may take over from the earlier run. This table is missing or has a form that this version of troupe does not know.",
});

export const messageDropped = defineError("MESSAGE_DROPPED", {
  message: (details: { id: string; from: string; to: string; why: string; others: number }) =>
    `message ${details.id} from "${details.from}" to "${details.to}" was dropped: ${details.why}${details.others === 0 ? "" : `; and ${details.others} more`}`,
  hint: ({ to }) => `read why: troupe logs --agent ${to}; then start the run again`,
  about:
    "Troupe accepted a message from one agent to another and could not deliver it: turns with it failed too often, or its reader gave up. The work that it asked for was not done, so the run ends as failed even if everything else was done. The message stays in the journal and its channel.",
});
