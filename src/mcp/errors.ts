import { defineError } from "../foundation/errors.ts";

export const doorUnusable = defineError("MCP_SOCKET_UNUSABLE", {
  message: (details: { place: string; problem: string }) =>
    `cannot serve agents at ${details.place}: ${details.problem}`,
  hint: () => "set XDG_RUNTIME_DIR to a short path that only you can enter",
  about:
    "Agents reach Troupe's tools over a unix socket in a private directory, and some over a port of 127.0.0.1 too. The path of the socket must be under 100 bytes and its directory must belong to you alone.",
});

export const accessDenied = defineError("MCP_ACCESS_DENIED", {
  message: (details: { problem: string }) => `access denied: ${details.problem}`,
  hint: () =>
    "send `Authorization: Bearer` with TROUPE_CONTEXT_TOKEN of the agent's own process, while its session lasts",
  about:
    "Each session of an agent gets a token of its own, which ends with the session. A request to the context server carried none, or one that nobody has.",
});

export const requestForbidden = defineError("MCP_REQUEST_FORBIDDEN", {
  message: (details: { problem: string }) => `request refused: ${details.problem}`,
  about:
    "The context server takes requests of agents only: addressed to it by its own name, sent by no web page, and naming no other agent than the one whose token they carry.",
});

export const requestInvalid = defineError("MCP_REQUEST_INVALID", {
  message: (details: { problem: string }) => `request not understood: ${details.problem}`,
  about:
    "A request to the context server has a path, method, content type or body that it does not take.",
});

export const tooManyRequests = defineError("MCP_TOO_MANY_REQUESTS", {
  message: (details: { agent: string; open: number }) =>
    `"${details.agent}" has ${details.open} requests open already`,
  hint: () => "wait for the answer to one of them",
  retryable: true,
  about:
    "The number of requests that one session of an agent may have open at the same time is limited, so that no agent can use up the memory of the process that serves all of them.",
});
