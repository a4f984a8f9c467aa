import { defineError } from "../../../foundation/errors.ts";
import { type ShownProcess, showPid } from "../../../foundation/show-pid.ts";

export const projectUnwritable = defineError("RUN_DIRECTORY_UNWRITABLE", {
  message: (details: { path: string; problem: string }) =>
    `cannot keep runs in ${details.path}: ${details.problem}`,
  hint: () => "run in a directory that you may write to, or set TROUPE_DIR",
  about:
    "Every run is kept in a file below the project's .troupe directory, so that directory must be writable.",
});

export const cwdOutside = defineError("RUN_DIRECTORY_OUTSIDE", {
  message: (details: { cwd: string; project: string }) =>
    `${details.cwd} is outside the project ${details.project}`,
  hint: () => "start inside the project, name a directory of it with -C, or unset TROUPE_DIR",
  about:
    "Agents start in the current directory (or that of -C), which must lie in the project that TROUPE_DIR names.",
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

export const cwdNotFound = defineError("RUN_DIRECTORY_NOT_FOUND", {
  message: (details: { cwd: string }) => `there is no directory ${details.cwd}`,
  hint: () => "name a directory that exists",
  about:
    "The directory that a command is to work in does not exist, is a file, or cannot be entered.",
});

export const fileUnwritable = defineError("FILE_UNWRITABLE", {
  message: (details: { path: string; problem: string }) =>
    `cannot write ${details.path}: ${details.problem}`,
  hint: () => "name a file in a directory that exists and that you may write to",
  about:
    "The file that a command was to write cannot be made: its directory is missing or forbidden.",
});

export const stateUnwritable = defineError("RUN_STATE_UNWRITABLE", {
  message: (details: { path: string; problem: string }) =>
    `cannot write ${details.path}: ${details.problem}`,
  hint: () => "set TROUPE_HOME to a directory that you can write to",
  about:
    "What all runs of a user share, such as which instance of a workflow is running, is kept in the state directory. Nothing was started.",
});

export const repositoryBusy = defineError("RUN_REPOSITORY_BUSY", {
  message: (details: { repository: string; holder: string } & ShownProcess) =>
    `${details.repository} is being changed by ${details.holder} (pid ${showPid(details)})`,
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

export const lookUnwritable = defineError("FILE_LOOK_UNWRITABLE", {
  message: (details: { path: string; problem: string }) =>
    `this look could not be remembered in ${details.path}: ${details.problem}`,
  hint: () => "set TROUPE_HOME to a directory that you may write to",
  about:
    "A warning. `troupe away` remembers when you looked last, in the state directory. It could not, so the same news will be told again.",
});
