/** Codes that cannot be raised from outside at will, each with what would have to happen. */
export const NOT_AT_WILL: { readonly [code: string]: string } = {
  BACKEND_PROTOCOL: "an agent's program of a version that does not exist yet",
  AGENT_CONSTRAINT_UNVERIFIABLE:
    "a directory of more than 300000 files, which take longer to write than all other cases",
  COLLAB_RUN_AT_LIMIT: "an agent has to call in the moment in which a limit cuts off its turn",
  DAEMON_LOGIN_UNSUPPORTED: "another operating system",
  DAEMON_NOT_RUNNING: "the daemon ends between its answer and the next request",
  DAEMON_STOPPING: "a request between the stop of the daemon and its end",
  DAEMON_UNREACHABLE: "the socket breaks while an answer is on its way",
  ENGINE_OWNER_ELSEWHERE:
    "an owner on another host or in another container: test/e2e/owner-in-containers makes one",
  ENGINE_PROGRAM_NOT_FOUND: "a journal of a version that has other programs",
  HOST_LOG_FAILED: "a disk would have to fill up while a program prints",
  HOST_PLATFORM_UNSUPPORTED: "another operating system",
  JSON_SCHEMA_UNUSABLE: "a journal of a version that took schemas without judging them",
  RUN_REPOSITORY_BUSY: "two commands in the same repository within one of git's writes",
  RUN_RESULT_DIFFERS: "only the library asks for a form of the result",
  RUN_SOCKET_UNUSABLE: "no directory for sockets at all",
  RUN_TOO_DEEP:
    "files that run each other so deep are WORKFLOW_CHILD_INVALID before; only plug-ins get there",
  RUN_UNFINISHED: "only the library ends with the turn of one agent: AgentExecutor",
  STEP_ROUTE_UNKNOWN: "a step type of a plug-in that sends on to a route it does not declare",
};
