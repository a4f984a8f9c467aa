import { OUTCOME_EXIT_CODES } from "../contracts/run.ts";
import { formatDuration } from "../foundation/duration.ts";
import { defineError } from "../foundation/errors.ts";
import { didYouMean } from "../foundation/near-names.ts";

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

export const answerMissing = defineError("RUN_NO_ANSWER", {
  message: (details: { run: string; missing: readonly { agent: string; reason: string }[] }) =>
    details.missing.length === 0
      ? `nobody was addressed in ${details.run}, so nobody answers`
      : details.missing
          .map(({ agent, reason }) => `${agent} of ${details.run} gave no answer: ${reason}`)
          .join("\n"),
  hint: ({ run, missing: [first] }) =>
    first === undefined
      ? "name an agent, or mention one in the text: @agent"
      : `see what it did: troupe peek ${first.agent}@${run}`,
  about:
    "A command waited for the turns that took a message. One of them failed, its agent or its run ended before, or nobody was addressed. The message itself was taken.",
});

export const waitOver = defineError("LIMIT_WAIT_TIME", {
  message: (details: { run: string; waitedMs: number; agents: readonly string[] }) =>
    `no answer of ${details.agents.join(", ")} within ${formatDuration(details.waitedMs)}`,
  hint: ({ run, agents: [first = "agent"] }) => `it may still come: troupe peek ${first}@${run} -f`,
  about:
    "A command waited for an answer as long as it was told to. The message was taken and the run goes on.",
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

export const mentionUnknown = defineError("MESSAGE_UNKNOWN_MENTION", {
  message: (details: { names: readonly string[]; known: readonly string[] }) =>
    `nobody is called ${details.names.map((name) => `@${name}`).join(", ")}`,
  hint: ({ names: [first = ""], known }) => didYouMean(first, known, "agents"),
  about:
    "A warning. The message was posted, and a name after an @ in it is that of no agent, so it woke nobody.",
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
  message: (details: {
    problems: readonly { agent: string; message: string; hint?: string }[];
    /** What to do instead of all that is missing. */
    instead?: string;
  }) => details.problems.map(({ agent, message }) => aboutAgent(agent, message)).join("\n"),
  hint: ({ problems, instead }) => {
    const hints = [...problems.map(({ hint }) => hint), instead];
    return [...new Set(hints.filter((hint) => hint !== undefined))].join("; ") || undefined;
  },
  about:
    "Before a run starts, everything that its agents need on this machine is checked. Something is missing; nothing was started.",
});

/** What backends raise may name the agent already. */
function aboutAgent(agent: string, message: string): string {
  const name = `agent "${agent}": `;
  return message.startsWith(name) ? message : name + message;
}

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

export const projectForeign = defineError("PROJECT_FOREIGN", {
  message: (details: { directory: string; problem: string }) =>
    `${details.directory} is not taken as your project: ${details.problem}`,
  hint: ({ directory }) =>
    `if it is yours: chmod go-w ${directory} and the directory above it; else work in a directory of your own, or name one: TROUPE_DIR`,
  about:
    "What lies in .troupe decides what runs and what is believed of runs. It must belong to you, nobody else may write to it or to the project's directory, and it must not lead out of the project. A directory that a group shares is refused too: each of its members could act as you. Root may work in a checkout of another user as long as all of it is that user's. A foreign .troupe above your directory is passed over.",
});

export const stateForeign = defineError("STATE_FOREIGN", {
  message: (details: { directory: string; problem: string }) =>
    `the state directory ${details.directory} cannot be believed: ${details.problem}`,
  hint: ({ directory }) =>
    `if it is yours: chmod 700 ${directory}; else name another one: TROUPE_HOME`,
  about:
    "Your key, your trust and what the daemon carries out lie in the state directory. It must belong to you, and nobody else may write to it.",
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

export const withoutSteps = defineError("WORKFLOW_WITHOUT_STEPS", {
  message: (details: { workflow: string }) =>
    `workflow "${details.workflow}" has no steps whose number at a time could be limited`,
  hint: () =>
    "leave --max-concurrency out; limits.hostConcurrency of the configuration limits turns",
  about:
    "--max-concurrency limits the steps of a pattern workflow that run at the same time. In a kickoff workflow agents work whenever somebody mentions them.",
});

export const instanceRunning = defineError("WORKFLOW_INSTANCE_RUNNING", {
  message: (details: { workflow: string; instance: string; run: string; pid: number }) =>
    `instance "${details.instance}" of workflow "${details.workflow}" is running already: ${details.run}, process ${details.pid}`,
  hint: ({ run }) => `stop it with troupe cancel ${run}, or start another one with --instance NAME`,
  about:
    "The agents of one instance share a channel and a document, so only one run of a workflow and instance goes on at a time in a project.",
});

export const otherResult = defineError("RUN_RESULT_DIFFERS", {
  message: (details: { run: string }) =>
    `${details.run} has a result of another form than was asked for`,
  hint: () => "read the result of its last event: (await run.parted).event",
  about:
    "`result` of a run's handle is what a pattern workflow came to. Workflows of other shapes end with a result of another form, which their last event holds.",
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

export const secretUnreadable = defineError("RUN_SECRET_UNREADABLE", {
  message: (details: { run: string; variable: string }) =>
    `the value of ${details.variable} in ${details.run} is sealed with a key that is not here`,
  hint: () => "let its owner go on with it, or start its workflow file anew",
  about:
    "Secrets that a workflow file writes into an `env` stand in journals and exports as tokens, which only the key in the state directory of whoever started the run opens. Somebody else's run, or one from before the key was lost, cannot start its agents with them. Secrets that come from the environment are no part of a run.",
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

export const lookUnwritable = defineError("FILE_LOOK_UNWRITABLE", {
  message: (details: { path: string; problem: string }) =>
    `this look could not be remembered in ${details.path}: ${details.problem}`,
  hint: () => "set TROUPE_HOME to a directory that you may write to",
  about:
    "A warning. `troupe away` remembers when you looked last, in the state directory. It could not, so the same news will be told again.",
});

function isOutcome(state: string): boolean {
  return Object.hasOwn(OUTCOME_EXIT_CODES, state);
}

export const agentNameTaken = defineError("RUN_AGENT_NAME_TAKEN", {
  message: (details: { address: string; run: string }) =>
    `there is an agent ${details.address} already, in ${details.run}`,
  hint: ({ address }) =>
    `choose another name or --instance, or end it first: troupe stop ${address}`,
  about:
    "Agents are addressed by name and instance, so in one project no two live ones may have both in common.",
});

export const stateUnwritable = defineError("RUN_STATE_UNWRITABLE", {
  message: (details: { path: string; problem: string }) =>
    `cannot write ${details.path}: ${details.problem}`,
  hint: () => "set TROUPE_HOME to a directory that you can write to",
  about:
    "What all runs of a user share, such as which instance of a workflow is running, is kept in the state directory. Nothing was started.",
});

export const repositoryBusy = defineError("RUN_REPOSITORY_BUSY", {
  message: (details: { repository: string; holder: string; pid: number }) =>
    `${details.repository} is being changed by ${details.holder} (pid ${details.pid})`,
  hint: () => "try it again when that is done",
  about:
    "Worktrees of a repository are made, and its branches merged, by one process at a time, because git would fail in the middle of it otherwise. Another process of yours has been at it for minutes.",
});

export const keyUnusable = defineError("RUN_KEY_UNUSABLE", {
  message: (details: { file: string; problem: string }) =>
    `the key that seals your runs, ${details.file}, cannot be used: ${details.problem}`,
  hint: ({ file }) =>
    `let TROUPE_HOME name a directory that you can write to, or repair ${file} (yours, mode 600, 32 bytes); without it your runs of before need troupe import`,
  about:
    "The first event of every run is sealed with a key in your state directory, so that a run that somebody else has put into a project is not taken for yours. A key that others can write, or that is no key, seals nothing.",
});
