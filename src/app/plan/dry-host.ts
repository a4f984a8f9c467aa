import type { CommandResult, Host, Workspace } from "../../contracts/host.ts";
import { rejectOnAbort } from "../../foundation/abort.ts";

const RAN: CommandResult = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  stdout: "‹output of the command›",
  stdoutTruncated: false,
  stderr: "",
  stderrTruncated: false,
  durationMs: 0,
};

const EMPTY: Workspace = {
  exists: () => Promise.resolve(false),
  readText: (path) => Promise.resolve(`‹content of ${path}›`),
  writeText: () => Promise.resolve(),
  replaceText: () => Promise.resolve(undefined),
  remove: () => Promise.resolve(),
  list: () => Promise.resolve([]),
  print: () => Promise.resolve("absent"),
  readSettled: () => Promise.resolve(undefined),
  readUnknown: (_path, _isKnown, signal) => rejectOnAbort(signal).promise,
};

/** A machine on which everything succeeds and nothing happens: no program, no file, no git. */
export const dryHost: Host = {
  run: () => Promise.resolve(RAN),
  workspace: () => EMPTY,
  git: {
    branch: () => Promise.resolve("‹git branch at that time›"),
    diff: () => Promise.resolve("‹git diff at that time›"),
    fingerprint: () => Promise.resolve(undefined),
    mark: () => Promise.resolve(undefined),
    changedSince: () => Promise.resolve(undefined),
    touchedSince: () => Promise.resolve(undefined),
    keep: () => Promise.resolve(undefined),
    commitSince: () => Promise.resolve(undefined),
  },
  variable: (name) => `‹${name}›`,
  baseEnv: (extra) => extra,
  commandEnv: (extra) => extra,
  callerEnv: (extra) => extra,
};
