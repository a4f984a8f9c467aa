import { defineError } from "../../foundation/errors.ts";

export const commandNotFound = defineError("HOST_COMMAND_NOT_FOUND", {
  message: (details: { command: string; searched: string }) =>
    `program "${details.command}" was not found in ${details.searched}`,
  hint: (details) =>
    details.command.includes("/")
      ? `check the path, and that the file is executable`
      : `install "${details.command}", or write it as a path (./${details.command})`,
  about:
    "Programs are looked up in the absolute directories of PATH, without node_modules/.bin. A program from somewhere else has to be written as a path, which counts from the working directory.",
});

export const spawnFailed = defineError("HOST_SPAWN_FAILED", {
  message: (details: { command: string; reason: string }) =>
    `program "${details.command}" could not be started: ${details.reason}`,
  hint: (details) =>
    details.reason.includes("E2BIG")
      ? "give large texts to the program's stdin or in a file"
      : undefined,
  about:
    "The system refused to start a program that exists: its directory is missing, it may not be executed, its interpreter is missing, its arguments are too large, or there are too many processes or open files.",
});

export const pathOutside = defineError("HOST_PATH_OUTSIDE", {
  message: (details: { path: string; root: string }) =>
    `path ${JSON.stringify(details.path)} leaves ${details.root}`,
  hint: () => "use a path below that directory, without .. and without links that lead out of it",
  about:
    "Workflows and agents reach files of their own directory only. Absolute paths elsewhere, `..`, NUL characters and symbolic links that lead out are refused.",
});

export const fileFailed = defineError("HOST_FILE_FAILED", {
  message: (details: {
    action: "read" | "write" | "remove" | "inspect";
    path: string;
    reason: string;
  }) => `cannot ${details.action} ${details.path}: ${details.reason}`,
  about: "The system refused to read, write or remove a file; the reason is the system's own.",
});

export const logFailed = defineError("HOST_LOG_FAILED", {
  message: (details: { path: string; reason: string }) =>
    `the output of a program could not be logged to ${details.path}: ${details.reason}`,
  hint: () => "make room on the disk, or make the directory writable, and run it again",
  about:
    "Everything a program prints is kept in a log file. When that is impossible the program is ended, so that no output is lost unnoticed.",
});

export const diskFull = defineError("HOST_DISK_FULL", {
  message: (details: { path: string }) => `no space left to write ${details.path}`,
  hint: () => "free space on that disk, then resume the run; no repair is needed",
  about:
    "The disk or the quota that holds what Troupe keeps of a run is full. The run stops, and nothing counts as failed: it goes on where it was, however often it is resumed before there is space.",
});

export const diskReadOnly = defineError("HOST_DISK_READ_ONLY", {
  message: (details: { path: string }) =>
    `cannot write ${details.path}: its file system is mounted read-only`,
  hint: () => "mount that file system so that it can be written, then resume the run",
  about:
    "What Troupe keeps of a run lies on a file system that takes no writing, by its mount or after an error of the disk. The run stops, and nothing counts as failed: it goes on where it was once there is a place to write to.",
});

export const processSurvived = defineError("HOST_PROCESS_SURVIVED", {
  message: (details: { pids: readonly number[] }) =>
    `processes could not be killed: ${details.pids.join(", ")}`,
  hint: () => "they hang in the kernel, mostly on a network disk; look at them with ps",
  about: "Processes that got SIGKILL are still there seconds later. Only the system can end them.",
});

export const hostClosed = defineError("HOST_CLOSED", {
  message: (details: { command: string }) =>
    `program "${details.command}" was not started: its run is over`,
  about: "A program was asked for after the run had let go of its processes.",
});

export const bodyTooLarge = defineError("HOST_BODY_TOO_LARGE", {
  message: (details: { source: string; limit: string }) =>
    `${details.source} sent more than ${details.limit}; the connection was closed`,
  hint: () => "check that its address is right; if it is, ask it for less at once",
  about:
    "Answers over HTTP, of models, MCP servers and web pages, are counted while they are read. One that is larger than any real answer fails its call, so that no server can fill the memory of Troupe. The limits are 128 MiB for the stream of one answer, 8 MiB or 200,000 JSON values for one event of it, and 4 Mi characters for what a model says in it.",
});

export const branchElsewhere = defineError("HOST_GIT_BRANCH_ELSEWHERE", {
  message: (details: { branch: string; root: string; reason: string }) =>
    `branch ${details.branch} ${details.reason} in ${details.root}, so it is not moved from here`,
  hint: ({ root, reason }) =>
    reason.startsWith("is being")
      ? `let that end first, in ${root}`
      : `do it there, or free the branch first: git -C ${root} switch --detach`,
  about:
    "A branch that another working tree has checked out, rebases or bisects is not moved: its files would stay behind, and the next commit there would revert what was added. git refuses this too.",
});

export const gitFailed = defineError("HOST_GIT_FAILED", {
  message: (details: { cwd: string; action: string; reason: string }) =>
    `git ${details.action} failed in ${details.cwd}: ${details.reason}`,
  about: "git answered with an error that does not mean that the directory is no repository.",
});

export const gitFiltered = defineError("HOST_GIT_FILTERED", {
  message: (details: {
    path: string;
    filter: string;
    directory: string;
    more: number;
    /** Whether the user's own configuration of git has the filter. */
    isUsers: boolean;
  }) => {
    const more = details.more === 0 ? "" : ` and ${details.more} more`;
    return `${details.path}${more} in ${details.directory} belongs through the filter "${details.filter}", which Troupe does not run`;
  },
  hint: ({ directory, isUsers }) =>
    isUsers
      ? "it is of your own configuration of git: troupe trust lets it run in this project"
      : `look at it and commit it yourself: git -C ${directory} add --all`,
  about:
    "The attributes of the repository say that the file is stored through a program: a filter of git. Troupe runs no program that a repository names; one of the user's own configuration of git runs after `troupe trust`. Storing the file as it is could put what should be encrypted into a commit. Git LFS needs no program and works. The file stays where it is.",
});

export const sandboxUnavailable = defineError("HOST_SANDBOX_UNAVAILABLE", {
  message: (details: { reason: string }) =>
    `programs cannot be confined on this machine: ${details.reason}`,
  hint: () =>
    "install bubblewrap (apt install bubblewrap, dnf install bubblewrap), or run without a sandbox: --unsandboxed",
  about:
    "An agent with `isolation: sandbox` is started inside bubblewrap, a program for Linux, in version 0.8 or newer and on x86-64 or arm64. Where it is missing, or the system does not let it make namespaces, nothing is started, because the agent would have no bounds. In a container, namespaces have to be allowed; on Ubuntu from 24.04 on, an AppArmor profile for bwrap is needed. `--unsandboxed` on run or resume starts agents without their sandbox; the journal says so.",
});

export const platformUnsupported = defineError("HOST_PLATFORM_UNSUPPORTED", {
  message: (details: { platform: string }) =>
    `processes cannot be supervised on the platform "${details.platform}"`,
  hint: () => "use Linux or macOS; on Windows, use WSL",
  about: "Linux and macOS are supported, Windows through WSL.",
});

export const agentResources = defineError("LIMIT_AGENT_RESOURCES", {
  message: (details: { what: "processes" | "memory"; found: string; limit: string }) =>
    details.what === "processes"
      ? `a program and what it started were ${details.found} processes, more than ${details.limit}, and were ended`
      : `a program and what it started held ${details.found} of memory, more than ${details.limit}, and were ended`,
  hint: ({ what }) =>
    `if that is what it needs, raise limits.${what} of the agent, or limits.agent.${what} of the configuration`,
  about:
    "What an agent's programs take of the machine is bounded, so that one that runs away ends instead of the machine: processes and memory of each program with all that it started are looked at every second, open files and the size of a file are limits of the system. The step fails and is not tried again. The bounds are `limits` of the agent, else `limits.agent` in the configuration: processes (4096), memory (16GiB), openFiles (65536), fileSize (16GiB), log (64MiB).",
});
