import { defineError } from "../foundation/errors.ts";
import { didYouMean } from "../foundation/near-names.ts";

export const runAmbiguous = defineError("RUN_AMBIGUOUS", {
  message: (details: { given: string; matches: readonly string[] }) =>
    `"${details.given}" fits several runs: ${details.matches.join(", ")}`,
  hint: () => "write more of the id",
  about: "A run may be named by the beginning of its id if only one run begins so.",
});

export const itemNotFound = defineError("RUN_ITEM_NOT_FOUND", {
  message: (details: { id: string }) => `nothing called "${details.id}" waits for a decision`,
  hint: () => "list what waits: troupe inbox",
  about:
    "The approval, permission or question is in no run of this project, or it was decided before.",
});

export const itemAmbiguous = defineError("RUN_ITEM_AMBIGUOUS", {
  message: (details: { given: string; matches: readonly string[] }) =>
    `"${details.given}" fits several: ${details.matches.join(", ")}`,
  hint: () => "write more of the id",
  about: "What waits may be named by the beginning of its id if only one begins so.",
});

export const itemChanged = defineError("RUN_ITEM_CHANGED", {
  message: (details: { run: string; id: string; seen: string; current: string }) =>
    `what ${details.id} asks for is not what was decided on: seen ${shortHash(details.seen)}, now ${shortHash(details.current)}`,
  hint: ({ id }) => `look at it again: troupe inbox ${id}`,
  about:
    "A decision counts for what was shown to the person, named by its hash. Something else is to be approved now, so nothing was decided.",
});

export const itemExpired = defineError("RUN_ITEM_EXPIRED", {
  message: (details: { run: string; id: string; expiresAt: string }) =>
    `${details.id} could be decided until ${details.expiresAt}`,
  hint: ({ run }) => `its time-out takes effect when the run goes on: troupe resume ${run}`,
  about:
    "An approval with a time-out decides itself when its time is over. A decision that comes later does not count.",
});

export const nothingToPause = defineError("RUN_NOT_RUNNING", {
  message: (details: { run: string; state: string }) =>
    `${details.run} is not running, it is ${details.state}`,
  hint: (details) => `go on with it: troupe resume ${details.run}`,
  about: "Only a run that a process carries out can be paused.",
});

export const projectUnwritable = defineError("RUN_DIRECTORY_UNWRITABLE", {
  message: (details: { path: string; problem: string }) =>
    `cannot keep runs in ${details.path}: ${details.problem}`,
  hint: () => "run in a directory that you may write to, or set TROUPE_DIR",
  about:
    "Every run is kept in a file below the project's .troupe directory, so that directory must be writable.",
});

export const directoryBusy = defineError("RUN_DIRECTORY_BUSY", {
  message: (details: { run: string; cwd: string }) =>
    `${details.run} is already working in ${details.cwd}`,
  hint: () => "wait for it, or work in another directory with -C",
  about: "With --exclusive a run starts only when no other run works in its directory.",
});

export const preflightFailed = defineError("BACKEND_PREFLIGHT_FAILED", {
  message: (details: { problems: readonly { agent: string; message: string; hint?: string }[] }) =>
    details.problems.map(({ agent, message }) => `agent "${agent}": ${message}`).join("\n"),
  hint: (details) =>
    [
      ...new Set(details.problems.map(({ hint }) => hint).filter((hint) => hint !== undefined)),
    ].join("; ") || undefined,
  about:
    "Before a run starts, everything that its agents need on this machine is checked. Something is missing; nothing was started.",
});

export const definitionInvalid = defineError("WORKFLOW_DEFINITION_INVALID", {
  message: (details: { run: string; problem: string }) =>
    `the definition in the journal of ${details.run} cannot be read: ${details.problem}`,
  about:
    "A run keeps the definition that it was started with. This version of troupe cannot read it.",
});

export const patternUnknown = defineError("WORKFLOW_UNKNOWN_PATTERN", {
  message: (details: { pattern: string; known: readonly string[] }) =>
    `there is no pattern "${details.pattern}" here`,
  hint: (details) => `known: ${details.known.join(", ")}`,
  about: "A workflow or a program asked for a pattern that this version of troupe does not have.",
});

export const cwdOutside = defineError("RUN_DIRECTORY_OUTSIDE", {
  message: (details: { cwd: string; project: string }) =>
    `${details.cwd} is outside the project ${details.project}`,
  hint: () => "start inside the project, or name a directory of it with -C",
  about: "Agents start in the current directory (or that of -C), which must lie in the project.",
});

export const inputTooLarge = defineError("FILE_INPUT_TOO_LARGE", {
  message: (details: { file: string; limitBytes: number }) =>
    `${details.file} has more than the ${details.limitBytes} bytes that are read`,
  hint: () => "put long material into a file of the project and name that file in the task",
  about:
    "Tasks and inputs have at most 1 MiB, cassettes at most 16 MiB. Agents can read larger files themselves.",
});

export const stepNotFound = defineError("RUN_STEP_NOT_FOUND", {
  message: (details: { run: string; step: string; known: readonly string[] }) =>
    `${details.run} has no step "${details.step}"`,
  hint: ({ step, known }) => didYouMean(step, known, "steps") ?? "no step of it has started yet",
  about: "Steps are named by their id or by their full path, as `troupe show RUN` lists them.",
});

export const runLetGo = defineError("RUN_LET_GO", {
  message: (details: { run: string; reason: string }) =>
    `${details.run} was let go before its end: ${details.reason}`,
  hint: (details) => `go on with it: troupe resume ${details.run}`,
  about:
    "The process let go of the run (interrupted, paused, or waiting for a person). Nothing is lost; the run can be resumed.",
});

export const cwdNotFound = defineError("RUN_DIRECTORY_NOT_FOUND", {
  message: (details: { cwd: string }) => `there is no directory ${details.cwd}`,
  hint: () => "name a directory that exists",
  about:
    "The directory that a command is to work in does not exist, is a file, or cannot be entered.",
});

export const neverBegan = defineError("RUN_NEVER_BEGAN", {
  message: (details: { run: string }) => `${details.run} never began: its journal holds no event`,
  hint: () => "start it again: troupe run",
  about:
    "The process that was to start the run ended before anything of it was written, so there is nothing to go on with and nothing was done.",
});

export const runNotEnded = defineError("RUN_NOT_ENDED", {
  message: (details: { run: string; state: string }) =>
    `${details.run} is ${details.state}, so it is not garbage`,
  hint: ({ run }) => `if you are sure: troupe gc ${run} --force`,
  about:
    "`troupe gc` removes runs that are over. One that is suspended, waits or cannot be read is removed only when it is named together with --force, one that a process carries out never.",
});

export const runMoved = defineError("RUN_MOVED", {
  message: (details: { run: string; cwd: string }) =>
    `the agents of ${details.run} start in ${details.cwd}, which does not exist here`,
  hint: ({ cwd }) => `make ${cwd}, or a link of that name to where the files are, and resume again`,
  about:
    "A run keeps the directory that it was started in. It was imported from another machine, or its project has moved. Looking at it needs no directory; going on does.",
});

export const nothingToSalvage = defineError("RUN_NOTHING_TO_SALVAGE", {
  message: (details: { run: string; problem: string }) =>
    `no event of ${details.run} can be trusted: ${details.problem}`,
  hint: () => "restore the directory of the run from a copy",
  about:
    "`troupe export --salvage` writes the events of a damaged run up to the first that was altered or lost. Here that is the first one already.",
});

export const fileUnwritable = defineError("FILE_UNWRITABLE", {
  message: (details: { path: string; problem: string }) =>
    `cannot write ${details.path}: ${details.problem}`,
  hint: () => "name a file in a directory that exists and that you may write to",
  about:
    "The file that a command was to write cannot be made: its directory is missing or forbidden.",
});

export const reportHeldSecrets = defineError("RUN_REPORT_SECRETS", {
  message: (details: { run: string; texts: number }) =>
    `${details.texts} ${details.texts === 1 ? "text" : "texts"} of ${details.run} held known secrets; the report has *** in their place`,
  hint: () => "whoever can read the journal can read them: give the agents new ones",
  about:
    "A report never holds the values of secret variables of the environment or the configuration. That they stand in the journal means that a workflow file or an agent wrote them down.",
});

function shortHash(hash: string): string {
  return hash.slice(0, 12);
}
