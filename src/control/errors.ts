import { defineError } from "../foundation/errors.ts";

export const controlRefused = defineError("RUN_OWNER_UNREACHABLE", {
  message: (details: { socketPath: string; problem: string }) =>
    `nobody answers at ${details.socketPath}: ${details.problem}`,
  retryable: true,
  about:
    "The socket of the process that owns the run does not answer. It may be starting, ending or frozen.",
});

export const controlMessageInvalid = defineError("RUN_CONTROL_MESSAGE_INVALID", {
  message: (details: { problem: string }) =>
    `a control message could not be read: ${details.problem}`,
  about:
    "Commands travel to a run's owner as lines of JSON. One of them had another form: the two sides may be different versions of troupe.",
});

export const socketUnusable = defineError("RUN_SOCKET_UNUSABLE", {
  message: (details: { path: string; problem: string }) =>
    `cannot listen at ${details.path}: ${details.problem}`,
  hint: () => "set XDG_RUNTIME_DIR to a short path that only you can enter",
  about:
    "The owner of a run listens on a unix socket in a private directory. Its path must be under 100 bytes and its directory must belong to you alone.",
});
