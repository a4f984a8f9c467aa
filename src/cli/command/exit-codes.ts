import { TroupeError } from "../../foundation/errors.ts";

/** What `troupe` tells scripts when it ends. */
export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  waiting: 3,
  backend: 4,
  limit: 5,
  owner: 6,
  internal: 70,
  interrupted: 130,
  terminated: 143,
} as const;

const BY_CODE: ReadonlyMap<string, number> = new Map([
  ["BACKEND_NOT_AVAILABLE", EXIT.backend],
  ["BACKEND_PREFLIGHT_FAILED", EXIT.backend],
  ["BACKEND_UNKNOWN", EXIT.usage],
  ["COLLAB_KIND_UNKNOWN", EXIT.usage],
  ["DAEMON_LOGIN_FOREIGN", EXIT.usage],
  ["DAEMON_LOGIN_UNSUPPORTED", EXIT.usage],
  ["DAEMON_LOG_MISSING", EXIT.usage],
  ["ENGINE_FORK_TOO_LATE", EXIT.usage],
  ["ENGINE_ITEM_RESOLVED", EXIT.usage],
  ["ENGINE_ITEM_UNKNOWN", EXIT.usage],
  ["ENGINE_LEASE_LOST", EXIT.owner],
  ["ENGINE_MIGRATION_MISMATCH", EXIT.usage],
  ["ENGINE_OWNER_SILENT", EXIT.owner],
  ["ENGINE_PROGRAM_NOT_FOUND", EXIT.usage],
  ["ENGINE_RUN_OVER", EXIT.usage],
  ["ENGINE_RUN_OWNED", EXIT.owner],
  ["DURATION_INVALID", EXIT.usage],
  ["HOST_GIT_BRANCH_ELSEWHERE", EXIT.usage],
  ["INTERNAL", EXIT.internal],
  ["ITERATE_HEAD_ELSEWHERE", EXIT.usage],
  ["LIMIT_INVALID", EXIT.usage],
  ["MCP_ACCESS_DENIED", EXIT.usage],
  ["MCP_REQUEST_FORBIDDEN", EXIT.usage],
  ["MCP_UNREACHABLE", EXIT.owner],
  ["RUN_AGENT_BUSY", EXIT.owner],
  ["RUN_AGENT_LENT", EXIT.owner],
  ["RUN_AGENT_PROGRAM_FAILED", EXIT.backend],
  ["RUN_CONTROL_MESSAGE_INVALID", EXIT.owner],
  ["RUN_DIRECTORY_BUSY", EXIT.owner],
  ["RUN_NO_ANSWER", EXIT.failed],
  ["RUN_OWNED", EXIT.owner],
  ["RUN_OWNER_UNREACHABLE", EXIT.owner],
  ["RUN_REPOSITORY_BUSY", EXIT.owner],
  ["STORE_BUSY", EXIT.owner],
  ["STORE_RUN_EXISTS", EXIT.usage],
  ["WORKFLOW_INSTANCE_RUNNING", EXIT.owner],
  ["WORKFLOW_NAME_TAKEN", EXIT.owner],
]);

// What a person named, wrote or set up cannot be used; nothing was started.
const USAGE_AREAS: readonly string[] = [
  "CASSETTE_",
  "CONFIG_",
  "TEST_FILE_",
  "TEST_NOTHING_",
  "TRAIL_",
  "TRUST_",
  "FILE_",
  "RUN_",
  "SCHEDULE",
  "USAGE_",
  "WORKFLOW_",
];

/** The exit code for an error that ended a command. What was not thrown on purpose is a bug: 70. */
export function exitCodeOf(error: unknown): number {
  return error instanceof TroupeError ? exitCodeOfCode(error.code) : EXIT.internal;
}

/** The exit code for an error code. */
export function exitCodeOfCode(code: string): number {
  const known = BY_CODE.get(code);
  if (known !== undefined) return known;
  if (code.startsWith("LIMIT_")) return EXIT.limit;
  if (code.startsWith("DAEMON_")) return EXIT.owner;
  return USAGE_AREAS.some((area) => code.startsWith(area)) ? EXIT.usage : EXIT.failed;
}
