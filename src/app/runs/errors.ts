import { OUTCOME_EXIT_CODES } from "../../contracts/run.ts";
import { defineError } from "../../foundation/errors.ts";
import { didYouMean } from "../../foundation/near-names.ts";

export const runAmbiguous = defineError("RUN_AMBIGUOUS", {
  message: (details: { given: string; matches: readonly string[] }) =>
    `"${details.given}" fits several runs: ${details.matches.join(", ")}`,
  hint: ({ given }) =>
    given.startsWith("run_")
      ? "write more of the id"
      : "write the id of the run, agent@instance, or agent@ and the id of the run",
  about:
    "A run may be named by the beginning of its id, by its instance or by an agent of it if only one run fits. Runs that are not over come first.",
});

export const targetMissing = defineError("RUN_TARGET_MISSING", {
  message: (details: { choices: readonly string[] }) =>
    details.choices.length === 0
      ? "no agent is alive here that could be meant"
      : `several agents are alive: ${details.choices.join(", ")}`,
  hint: ({ choices }) =>
    choices.length === 0
      ? "name a run or an agent: troupe list -a shows all"
      : `name one: @${choices[0] ?? "agent"}`,
  about:
    "Without a target the only agent that is alive is meant, else the one that was created or addressed last. Here that says nothing.",
});

export const recordTooLate = defineError("RUN_RECORD_TOO_LATE", {
  message: (details: { run: string; outcome: string }) =>
    `${details.run} is over (${details.outcome}), and its trajectory is told: nothing is added any more`,
  hint: () => "add it to a run that goes on, or ask for it in the next one",
  about:
    "Decisions, findings and reflections are added to the trajectory of a run until its end. What came of a run that is over stays as it was told.",
});

export const neverBegan = defineError("RUN_NEVER_BEGAN", {
  message: (details: { run: string }) => `${details.run} never began: its journal holds no event`,
  hint: () => "start it again: troupe run; troupe gc removes what is left of it",
  about:
    "The process that was to start the run ended before anything of it was written, so there is nothing to go on with and nothing was done.",
});

export const runMoved = defineError("RUN_MOVED", {
  message: (details: { run: string; cwd: string }) =>
    `the agents of ${details.run} start in ${details.cwd}, which does not exist here`,
  hint: ({ cwd }) => `make ${cwd} a link to this project's directory, and resume again`,
  about:
    "A run keeps the directory that it was started in. It was imported from another machine, or its project has moved. Looking at it needs no directory; going on does.",
});

export const runCopied = defineError("RUN_COPIED", {
  message: (details: { run: string; cwd: string; project: string }) =>
    `${details.run} works in ${details.cwd}, which is not part of this project (${details.project})`,
  hint: ({ run, cwd }) =>
    `act on it there: troupe -C ${shellWord(cwd)} show ${run}; to have its steps run here, start its workflow again`,
  about:
    "A run acts only on the project that its journal is stored in. In a copy of a project, or after an import into another directory, the run would still change the directory that it was started in. It can be looked at: `show`, `logs`, `report`, `export`, `diff`. If the project has moved and something else has taken its place, move that away and make a link from the old directory to the new one.",
});

export const runNotEnded = defineError("RUN_NOT_ENDED", {
  message: (details: { run: string; state: string }) =>
    `${details.run} is ${details.state}, so it is not garbage`,
  hint: ({ run }) => `if you are sure: troupe gc ${run} --force`,
  about:
    "`troupe gc` removes runs that are over. One that is suspended, waits or cannot be read is removed only when it is named together with --force, one that a process carries out never.",
});

export const directoryBusy = defineError("RUN_DIRECTORY_BUSY", {
  message: (details: { run: string; cwd: string }) =>
    `${details.run} is already working in ${details.cwd}`,
  hint: () => "wait for it, or work in another directory with -C",
  about: "With --exclusive a run starts only when no other run works in its directory.",
});

export const stepNotFound = defineError("RUN_STEP_NOT_FOUND", {
  message: (details: { run: string; step: string; known: readonly string[] }) =>
    `${details.run} has no step "${details.step}"`,
  hint: ({ step, known }) => didYouMean(step, known, "steps") ?? "no step of it has started yet",
  about: "Steps are named by their id or by their full path, as `troupe show RUN` lists them.",
});

export const agentNameTaken = defineError("RUN_AGENT_NAME_TAKEN", {
  message: (details: { address: string; run: string }) =>
    `there is an agent ${details.address} already, in ${details.run}`,
  hint: ({ address }) =>
    `choose another name or --instance, or end it first: troupe stop ${address}`,
  about:
    "Agents are addressed by name and instance, so in one project no two live ones may have both in common.",
});

export const runNotRunning = defineError("RUN_NOT_RUNNING", {
  message: (details: { run: string; state: string }) =>
    `${details.run} is not running, it is ${details.state}`,
  hint: ({ run, state }) =>
    isOutcome(state)
      ? `see how it ended: troupe show ${run}`
      : `go on with it: troupe resume ${run}`,
  about:
    "Only a run that a process carries out can be paused, watched with attach, or asked for an answer.",
});

export const runNotCompleted = defineError("RUN_NOT_COMPLETED", {
  message: (details: { outcome: string; reason: string }) =>
    `the run ended as ${details.outcome}: ${details.reason}`,
  about:
    "The error of a step workflow whose end was no failed step: a person rejected it, a guard or a limit stopped it, or it was cancelled.",
});

export const runNotOver = defineError("RUN_NOT_OVER", {
  message: (details: { run: string; status: string }) =>
    `${details.run} has no result yet: it is ${details.status}`,
  hint: ({ run }) => `go on with it: resumeRun("${run}"), or troupe resume ${run}`,
  about:
    "A run has a result when it is over; until then its state and its events tell how far it is.",
});

export const runHasParent = defineError("RUN_HAS_PARENT", {
  message: (details: { run: string; parent: string; root: string; command: string }) =>
    `${details.run} is a part of ${details.parent} and has no life of its own`,
  hint: ({ root, command }) => `do that with the whole: troupe ${command} ${root}`,
  about:
    "A child run is carried out by the process that carries out the run at the top of its tree. It is resumed, paused and removed together with that one; cancel, approve, send and peek work on it alone.",
});

export const runHoldsWork = defineError("RUN_HOLDS_WORK", {
  message: (details: { run: string; path: string; problem: string }) =>
    `${details.run} stays: its worktree ${details.path} holds ${details.problem}`,
  hint: ({ run }) =>
    `commit or copy what you need, or remove it with all that is in it: troupe gc ${run} --force`,
  about:
    "What an agent left in its worktree is committed when its run ends. What came into the worktree later, or could not be committed, is nowhere else, so the run is not removed.",
});

export const stepUnknown = defineError("RUN_STEP_UNKNOWN", {
  message: (details: { run: string; step: string; known: readonly string[] }) =>
    `${details.run} has no step "${details.step}"`,
  hint: ({ step, known }) => didYouMean(step, known),
  about:
    "A step is named by its id as the workflow file has it, or by its full place in the run: all-files[0]/check.",
});

export const itemNotFound = defineError("RUN_ITEM_NOT_FOUND", {
  message: (details: { id: string; isRun?: boolean }) =>
    `nothing called "${details.id}" waits for a decision`,
  hint: ({ id, isRun = false }) =>
    isRun
      ? `what waits in a run is decided with --run ${id}; list it: troupe inbox`
      : "list what waits: troupe inbox",
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
    "An approval or a permission request with a time-out decides itself when its time is over. A decision that comes later does not count.",
});

function isOutcome(state: string): boolean {
  return Object.hasOwn(OUTCOME_EXIT_CODES, state);
}

function shortHash(hash: string): string {
  return hash.slice(0, 12);
}

export const noIteration = defineError("RUN_NO_ITERATION", {
  message: (details: { run: string; from: number; problem: string }) =>
    `${details.run} cannot go on from iteration ${details.from}: ${details.problem}`,
  hint: ({ run }) => `its iterations: troupe show ${run}`,
  about:
    "`--from N` carries a series of iterations out again in a new run, which takes over those before N. The series has to be over and to have come that far.",
});

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
