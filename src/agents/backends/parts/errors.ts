import type { FailureRecord } from "../../../contracts/step-facts.ts";
import { count } from "../../../foundation/count.ts";
import type { Place } from "../../../foundation/errors.ts";
import { defineError } from "../../../foundation/errors.ts";
import { lastWords } from "../../../foundation/failure-report/printed-output.ts";
import { didYouMean } from "../../../foundation/near-names.ts";

/** One thing that is wrong in a cassette. */
export interface CassetteProblem {
  readonly message: string;
  readonly place: Place;
}

export const cassetteInvalid = defineError("CASSETTE_INVALID", {
  message: (details: { file: string; problems: readonly CassetteProblem[] }) =>
    [
      `${details.file} is not a cassette: ${count(details.problems.length, "problem")}`,
      ...details.problems.map(({ message, place }) => `  ${placeText(place)}  ${message}`),
    ].join("\n"),
  hint: () => "a cassette has the keys version: 1, agents, default, repeat",
  about:
    "A cassette is a YAML file with the turns that scripted agents play. Each problem is listed with its file, line and column.",
});

export const cassetteUnplayed = defineError("CASSETTE_UNPLAYED", {
  message: (details: { file: string; backend: string }) =>
    `the backend "${details.backend}" does not play ${details.file}: agents would really be asked`,
  hint: () => "leave the backend out, or the cassette",
  about:
    "A cassette says what agents answer, and the backend script plays it. Together with another backend it would have no effect, and that backend would do the work.",
});

export const scriptMismatch = defineError("BACKEND_SCRIPT_MISMATCH", {
  message: (details: { agent: string; entry: string; expected: string; prompt: string }) =>
    `agent "${details.agent}", ${details.entry}: the prompt does not contain "${details.expected}"; it says "${details.prompt}"`,
  hint: () => "change `expect` in the cassette, or what the agent is told",
  about:
    "A scripted turn with `expect` plays only if that text is in the prompt, so that a test notices when an agent is asked for something else.",
});

export const scriptExhausted = defineError("BACKEND_SCRIPT_EXHAUSTED", {
  message: (details: { agent: string; list: string; turns: number }) =>
    `agent "${details.agent}" has played all ${details.turns} turn(s) of ${details.list}`,
  hint: () => "add turns to the cassette, or say `repeat: last` or `repeat: cycle`",
  about:
    "With `repeat: fail` a scripted agent that is asked for more turns than its list has fails.",
});

export const settingsInvalid = defineError("BACKEND_SETTINGS_INVALID", {
  message: (details: { agent: string; problem: string }) =>
    `agent "${details.agent}": ${details.problem}`,
  about: "What an agent's backend reads from its settings (command, script, module) does not fit.",
});

export const crashed = defineError("BACKEND_CRASHED", {
  message: (details: { agent: string; session: string }) =>
    `the session "${details.session}" of agent "${details.agent}" died during its turn`,
  hint: () => "`onCrash: resume` goes on with it, `restart` begins anew",
  about: "The process or session of an agent ended before its turn did.",
  retryable: true,
});

export const sessionClosed = defineError("BACKEND_SESSION_CLOSED", {
  message: (details: { agent: string; session: string }) =>
    `the session "${details.session}" of agent "${details.agent}" is closed and takes no turn`,
  about: "A turn was given to a session that had been closed or had died.",
});

export const sessionBusy = defineError("BACKEND_SESSION_BUSY", {
  message: (details: { agent: string; session: string }) =>
    `the session "${details.session}" of agent "${details.agent}" is still in a turn`,
  about: "A session carries out one turn at a time; a second one was given to it too early.",
});

export const sessionUnknown = defineError("BACKEND_SESSION_UNKNOWN", {
  message: (details: { agent: string; resume: string }) =>
    `agent "${details.agent}" has no session "${details.resume}" to go on with`,
  hint: () => "start the agent on a fresh session",
  about: "A session was to be resumed whose token the backend does not know.",
});

/** How a program ended, and what it said on stderr before. */
interface ExitDetails {
  readonly agent: string;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stderr: string;
}

/** The same of a command, which may say on stdout what went wrong. */
interface CommandExitDetails extends ExitDetails {
  readonly run: string;
  /** The end of stdout, where stderr is empty. */
  readonly output?: string;
  readonly failure?: FailureRecord;
}

export const commandFailed = defineError("BACKEND_COMMAND_FAILED", {
  message: ({ agent, stderr, output = stderr, ...exit }: CommandExitDetails) =>
    `the command of agent "${agent}" ${exitText(exit)}${endOfOutput(output)}`,
  hint: ({ agent, run }) =>
    `its log has all that it printed: troupe logs ${run} --raw --agent ${agent}`,
  about:
    "An agent with `backend: command` succeeds when its program exits with 0. The details carry the exit code or signal and the end of what it printed; the agent's log has all of its output.",
  retryable: true,
});

export const programNotFound = defineError("BACKEND_NOT_FOUND", {
  message: (details: { agent: string; program: string }) =>
    `agent "${details.agent}": the program "${details.program}" was not found`,
  hint: (details) =>
    details.program.includes("/")
      ? "check the path; it is relative to the agent's cwd"
      : `install "${details.program}" or put its directory on PATH`,
  about: "The program that a backend runs is not on PATH, or the path given for it does not exist.",
});

export const taskTooLarge = defineError("BACKEND_TASK_TOO_LARGE", {
  message: (details: { agent: string; sizeBytes: number; maxBytes: number }) =>
    `agent "${details.agent}": the task has ${details.sizeBytes} bytes; {task} takes ${details.maxBytes} at the most`,
  hint: () => "let the command read the task from stdin or from the file named by TROUPE_TASK_FILE",
  about:
    "Programs take only short arguments. A command that names {task} gets tasks up to 64 KiB that way; larger ones come by stdin and TROUPE_TASK_FILE.",
});

/** What a provider said, and with which status. */
interface ProviderDetails {
  readonly agent: string;
  readonly status?: number;
  readonly problem: string;
  readonly retryAfterMs?: number;
  readonly signIn?: string;
  /** Set if its server is away and may be asked again later. */
  readonly isAway?: true;
}

export const backendOverloaded = defineError("BACKEND_OVERLOADED", {
  message: (details: ProviderDetails) =>
    `the provider of agent "${details.agent}" asks to wait${statusText(details)}: ${details.problem}`,
  hint: () => "let fewer agents of this account work at the same time, or resume later",
  about:
    "The provider of an agent's model had too many requests. All agents of the same account wait, as long as the provider asks, before the turn is started again; this error remains when that was done too often.",
  retryable: true,
});

export const notSignedIn = defineError("BACKEND_NOT_SIGNED_IN", {
  message: (details: ProviderDetails) =>
    `agent "${details.agent}" is not signed in${statusText(details)}: ${details.problem}`,
  hint: ({ signIn }) => signIn ?? "troupe doctor says how to sign in",
  about: "The provider of an agent's model does not accept its key or login.",
});

export const providerRefused = defineError("BACKEND_PROVIDER_REFUSED", {
  message: (details: ProviderDetails) =>
    `the provider of agent "${details.agent}" refused the request${statusText(details)}: ${details.problem}`,
  about:
    "The provider of an agent's model finds something wrong with what it was asked, such as the name of the model. Asking again would not help.",
});

export const providerFailed = defineError("BACKEND_PROVIDER_FAILED", {
  message: (details: ProviderDetails) =>
    `the model of agent "${details.agent}" could not be asked${statusText(details)}: ${details.problem}`,
  about:
    "The provider of an agent's model failed or could not be reached, also after the retries of the agent's program.",
  retryable: true,
});

export const agentExited = defineError("BACKEND_EXITED", {
  message: ({ agent, stderr, ...exit }: ExitDetails) =>
    `the program of agent "${agent}" ${exitText(exit)} before its turn was over${endOfOutput(stderr)}`,
  hint: ({ agent }) => `its log has all that it printed: troupe logs --raw --agent ${agent}`,
  about:
    "The program of an agent ended without saying how its turn ended; whatever its exit code was, the turn did not complete.",
  retryable: true,
});

export const protocolBroken = defineError("BACKEND_PROTOCOL", {
  message: (details: { agent: string; problem: string }) =>
    `the program of agent "${details.agent}" said something that troupe does not understand: ${details.problem}`,
  hint: () => "troupe doctor tells its version and which ones are known to work",
  about: "The program of an agent does not keep to the protocol of the versions that troupe knows.",
});

export const functionFailed = defineError("BACKEND_FUNCTION_FAILED", {
  retryable: true,
  message: (details: { agent: string; problem: string }) =>
    `the function of agent "${details.agent}" failed: ${details.problem}`,
  about: "An agent with `backend: function` threw, or returned what is no JSON.",
});

export const functionAnswerInvalid = defineError("BACKEND_ANSWER_INVALID", {
  message: (details: { agent: string; problem: string }) =>
    `what the function of agent "${details.agent}" returned cannot count: ${details.problem}`,
  hint: () =>
    'return a text, any JSON, or { text, signals: [{ kind: "vote", value: "approve", reason? }] }',
  about:
    "An agent with `backend: function` returned `{text, signals}` with a signal that is none, or one that the run refuses of this agent: a vote of somebody who does not vote, a confidence over 1.",
});

export const moduleInvalid = defineError("BACKEND_MODULE_INVALID", {
  message: (details: { agent: string; module: string; problem: string }) =>
    `agent "${details.agent}": ${details.module} ${details.problem}`,
  hint: () => "write `module: ./agents.ts#name` and export a function of that name from the file",
  about:
    "The module of an agent with `backend: function` cannot be loaded, or exports no such function.",
});

export const projectUntrusted = defineError("BACKEND_PROJECT_UNTRUSTED", {
  message: (details: { agent: string; program: string; path: string }) =>
    `agent "${details.agent}": ${details.program} would run what ${details.path} says, and the project is not trusted`,
  hint: () => "look at it, then trust the project with `troupe trust`, or remove it",
  about:
    "A project can configure the programs of agents, plug-ins included. Where a program cannot be told to leave that alone, it is not started in a project that has such files and was not trusted.",
});

export const backendNotAvailable = defineError("BACKEND_NOT_AVAILABLE", {
  message: (details: { backend: string }) =>
    `this version cannot run ${details.backend} agents yet`,
  hint: () => "try --backend script",
  about: "The name of the backend is known, but this version has no adapter for it.",
});

export const backendUnknown = defineError("BACKEND_UNKNOWN", {
  message: (details: { backend: string; known: readonly string[] }) =>
    `there is no backend "${details.backend}"`,
  hint: (details) => didYouMean(details.backend, details.known),
  about: "An agent names a backend that does not exist.",
});

function statusText({ status }: ProviderDetails): string {
  return status === undefined ? "" : ` (HTTP ${status})`;
}

function placeText(place: Place): string {
  return [place.file, place.line, place.column].filter((part) => part !== undefined).join(":");
}

function exitText({ exitCode, signal }: Omit<ExitDetails, "agent" | "stderr">): string {
  if (signal !== undefined) return `was ended by ${signal}`;
  const passedOn = exitCode === undefined ? undefined : PASSED_ON.get(exitCode);
  return passedOn === undefined
    ? `exited with ${exitCode ?? "no exit code"}`
    : `was ended by ${passedOn} (exit ${exitCode})`;
}

// What a shell, a container or the first process of a sandbox exits with when a signal has ended what it waited for.
// Only signals with one number on all systems that end a program: others are more likely plain exit codes.
const PASSED_ON: ReadonlyMap<number, string> = new Map([
  [129, "SIGHUP"],
  [130, "SIGINT"],
  [131, "SIGQUIT"],
  [132, "SIGILL"],
  [133, "SIGTRAP"],
  [134, "SIGABRT"],
  [136, "SIGFPE"],
  [137, "SIGKILL"],
  [139, "SIGSEGV"],
  [141, "SIGPIPE"],
  [142, "SIGALRM"],
  [143, "SIGTERM"],
]);

function endOfOutput(text: string): string {
  const words = lastWords(text);
  return words === "" ? "" : `: ${words}`;
}
