import { defineError } from "../../foundation/errors.ts";

export const daemonUnwritable = defineError("DAEMON_STATE_UNWRITABLE", {
  message: (details: { path: string; problem: string }) =>
    `the daemon cannot keep its state in ${details.path}: ${details.problem}`,
  hint: () => "set TROUPE_HOME to a directory that you may write to",
  about:
    "The daemon keeps its token, its log and the list of the runs that it carries out in the state directory of the user. It cannot be made or written. Runs in the terminal need none of it.",
});

export const daemonNotStarted = defineError("DAEMON_NOT_STARTED", {
  message: (details: { problem: string; log: readonly string[] }) =>
    [`the daemon did not start: ${details.problem}`, ...details.log].join("\n"),
  hint: () => "look at its whole log: troupe daemon logs",
  about:
    "A command that needs the daemon starts it and waits for its first answer: a minute, as the machine may be busy, and five seconds once the process has ended. The last lines of its log are shown.",
});

export const daemonNotRunning = defineError("DAEMON_NOT_RUNNING", {
  message: () => "no daemon is running",
  hint: () => "it starts by itself when a command needs it, or by: troupe daemon start",
  about:
    "The daemon carries out background runs and standalone agents. It ends by itself when it has nothing to do.",
});

export const daemonElsewhere = defineError("DAEMON_ELSEWHERE", {
  message: (details: { pid: number; directory: string; own: string; socket: string }) =>
    `the daemon that listens at ${details.socket} (pid ${details.pid}) is that of ${details.directory}, not of ${details.own}`,
  hint: ({ directory }) =>
    `use it: TROUPE_HOME=${directory}; or give this one sockets of its own: XDG_RUNTIME_DIR`,
  about:
    "Two state directories of one user share the directory of sockets, and the daemon of the other one lives. It is never replaced: its runs would go on with nobody able to reach them.",
});

export const daemonUnreachable = defineError("DAEMON_UNREACHABLE", {
  message: (details: { problem: string }) =>
    `the daemon did not answer, so what became of this is not known: ${details.problem}`,
  hint: () => "look whether it was done: troupe runs; then: troupe daemon status",
  retryable: true,
  about:
    "The daemon took the request and then fell silent or ended. It may have been carried out or not.",
});

export const daemonVersionDiffers = defineError("DAEMON_VERSION_MISMATCH", {
  message: (details: { running: string; own: string }) =>
    `the daemon that runs is of troupe ${details.running}, this is ${details.own}`,
  hint: () => "end it, its runs go on in the new one: troupe daemon stop && troupe daemon start",
  about:
    "Client and daemon must be of one version, in a checkout of the same code. `troupe daemon stop` lets go of all runs with their state saved, whatever the version; the next daemon goes on with them.",
});

export const daemonStopping = defineError("DAEMON_STOPPING", {
  message: () => "the daemon is about to end and takes nothing new",
  hint: () => "try again in a few seconds",
  retryable: true,
  about: "A daemon that was told to stop lets go of its runs first, which takes some seconds.",
});

export const daemonDenied = defineError("DAEMON_DENIED", {
  message: () => "the daemon did not accept the token of this request",
  hint: () => "TROUPE_HOME or XDG_STATE_HOME may name another place than when the daemon started",
  about:
    "Every request carries the token that the daemon wrote into a file that only you can read. This one carried another.",
});

export const daemonLogMissing = defineError("DAEMON_LOG_MISSING", {
  message: (details: { file: string }) => `there is no log of a daemon: ${details.file}`,
  hint: () => "start one: troupe daemon start",
  about: "The daemon writes its log beside its state. None has run here yet.",
});

export const runNotHeld = defineError("DAEMON_RUN_NOT_HELD", {
  message: (details: { run: string }) => `the daemon does not carry out ${details.run}`,
  hint: ({ run }) => `look at it: troupe show ${run}`,
  about: "The run is carried out by another process, by nobody, or it is over.",
});

export const backgroundUnreadable = defineError("DAEMON_STATE_UNREADABLE", {
  message: (details: { file: string; problem: string }) =>
    `${details.file} cannot be read: ${details.problem}`,
  hint: ({ file }) => `if it is not needed any more, remove it: ${file}`,
  about:
    "The daemon cannot read which runs it carried out, or cannot believe it because others may write to the file. It starts nothing then.",
});

export const loginFileForeign = defineError("DAEMON_LOGIN_FOREIGN", {
  message: (details: { file: string }) => `${details.file} is there, and was not written by troupe`,
  hint: ({ file }) => `if it is not needed, remove it first: ${file}`,
  about:
    "What starts the daemon at login is one file in the place where the system looks for such files. One of that name that somebody else wrote is left alone.",
});

export const loginUnsupported = defineError("DAEMON_LOGIN_UNSUPPORTED", {
  message: (details: { platform: string }) =>
    `troupe does not know how programs are started at login on ${details.platform}`,
  hint: () => "have your system run this at login: troupe daemon start",
  about: "It knows systemd on Linux and launchd on macOS.",
});
