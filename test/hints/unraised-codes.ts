/** Codes that cannot be raised from outside at will, each with what would have to happen. */
export const NOT_AT_WILL: { readonly [code: string]: string } = {
  AGENT_RECORD_LOST: "the store would have to lose a blob of a session that it has sealed",
  BACKEND_PROTOCOL: "an agent's program of a version that does not exist yet",
  DAEMON_LOGIN_UNSUPPORTED: "another operating system",
  DAEMON_NOT_RUNNING: "the daemon ends between its answer and the next request",
  DAEMON_STOPPING: "a request between the stop of the daemon and its end",
  DAEMON_UNREACHABLE: "the socket breaks while an answer is on its way",
  ENGINE_REUSE_INVALID: "the store would have to lose the table of a rerun that it has sealed",
  HOST_DISK_READ_ONLY: "a file system would have to be mounted read-only",
  HOST_LOG_FAILED: "a disk would have to fill up while a program prints",
  HOST_PLATFORM_UNSUPPORTED: "another operating system",
  RUN_REPOSITORY_BUSY: "two commands in the same repository within one of git's writes",
  RUN_RESULT_DIFFERS: "only the library asks for a form of the result",
  RUN_SOCKET_UNUSABLE: "no directory for sockets at all",
  RUN_TOO_DEEP:
    "files that run each other so deep are WORKFLOW_CHILD_INVALID before; only plug-ins get there",
  STEP_ROUTE_UNKNOWN: "a step type of a plug-in that sends on to a route it does not declare",
};

/** Codes whose case is still to be written. The list may only get shorter. */
export const WITHOUT_A_CASE: readonly string[] = [
  "ENGINE_PROGRAM_NOT_FOUND",
  "HANDOFF_ROUTE_INVALID",
  "JSON_SCHEMA_UNUSABLE",
  "MESSAGE_DOCUMENT_CONFLICT",
  "MESSAGE_MIRROR_REFUSED",
  "RUN_MERGE_ELSEWHERE",
  "RUN_MERGE_FAILED",
  "RUN_MERGE_RUNNING",
  "RUN_MERGE_SCATTERED",
  "RUN_MERGE_STATE_BROKEN",
  "RUN_UNFINISHED",
  "STEP_AGENT_UNKNOWN",
  "WORKFLOW_UNKNOWN_PATTERN",
  "PLUGIN_NOT_TRUSTED",
  "AGENT_CONSTRAINT_UNVERIFIABLE",
  "RUN_DIRECTORY_OUTSIDE",
  "RUN_STATE_UNWRITABLE",
  "AGENT_TOOL_NOT_IN_THIS_RUN",
  "AGENT_WORKTREE_IMPOSSIBLE",
];
