/** What a confined program reaches beyond itself, always by way of Troupe; `none` is not even that way. */
export type NetworkReach =
  | "none"
  | {
      /**
       * `host`, `host:port` or `*.suffix`, port 443 where none is said; `public`: every name. Only public addresses
       * are connected to, whatever a name resolves to.
       */
      readonly hosts: readonly string[] | "public";
      /** `address:port` of this machine or its networks, each of them named exactly. */
      readonly local: readonly string[];
    };

/** A place of the network that a confined program was kept from. */
export interface ReachRefusal {
  /** `host:port` as the program asked for it, printable and at most 120 characters. */
  readonly target: string;
  readonly reason: string;
}

/**
 * What a program and all that it starts see and may do; the system sees to it, not the program (AGT-13, SEC-5). What
 * no member names is not there, but for the system's own programs and those of PATH.
 */
export interface Confinement {
  /** The user's home: empty inside, but for what is named. */
  readonly home: string;
  /** Absolute paths that may be written. */
  readonly writable: readonly string[];
  /** Absolute paths that are seen and not written, below `writable` too: there nothing can be put where nothing is. */
  readonly readOnly: readonly string[];
  /** Absolute paths that are not seen at all, although what is around them is. */
  readonly hidden: readonly string[];
  /** Absolute paths of unix sockets that may be connected to. With none, no unix socket can be made at all. */
  readonly sockets: readonly string[];
  /** Absolute directories that are there empty, may be written, and go with the program. */
  readonly scratch: readonly string[];
  /** Absolute directory that is `.cache` of the home; undefined: it goes with the program. */
  readonly cache: string | undefined;
  readonly network: NetworkReach;
  /** Told once per place that the program was kept from, for the first hundred of them. */
  readonly onRefused?: (refusal: ReachRefusal) => void;
}

/** Limits of the system that a program is started with; all that it starts has them too, and may only lower them. */
export interface ProcessLimits {
  /** Open files at once. */
  readonly openFiles?: number;
  /** Of each file that is written, in bytes, rounded up to whole blocks of 512. */
  readonly fileSizeBytes?: number;
}

/** What a program and all that it started may take of the machine together. */
export interface FamilyLimits {
  readonly processes: number;
  /** Memory that is not of files. What processes share counts once where the system tells (Linux). */
  readonly memoryBytes: number;
}

/** What the programs of an agent may take of the machine, all of it bounded (SEC-7). */
export interface ResourceLimits extends FamilyLimits, Required<ProcessLimits> {
  /** Of what an agent's log keeps on the disk. */
  readonly logBytes: number;
}

/** A program to run. A string goes to `sh -c`; a list is argv, never seen by a shell. */
export interface CommandRequest {
  readonly command: string | readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment. */
  readonly env: { readonly [name: string]: string };
  /** Given to stdin, which is then closed. */
  readonly stdin?: string;
  /** Running time; then the whole process group is ended. */
  readonly timeoutMs?: number;
  /** Gets everything that is printed, appended. */
  readonly logFile?: string;
  /** Most characters kept of each stream, from its end. Defaults to 1 Mi. */
  readonly maxOutputChars?: number;
  /** Gets everything that is printed, in pieces that may end within a character; keeps none of the bytes. */
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  /** Absent: no bounds. Raises HOST_SANDBOX_UNAVAILABLE where the system cannot keep it. */
  readonly confine?: Confinement;
  /** What differs from the limits of the host. A limit of the system that this process has not itself is left as it is. */
  readonly limits?: Partial<ResourceLimits>;
}

/** How a program ended. */
export interface CommandResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stdoutTruncated: boolean;
  readonly stderr: string;
  readonly stderrTruncated: boolean;
  readonly durationMs: number;
}

/** Files below one directory; paths that leave it raise HOST_PATH_OUTSIDE. */
export interface Workspace {
  exists(path: string): Promise<boolean>;
  readText(path: string): Promise<string>;
  /** Atomic: written beside and renamed. */
  writeText(path: string, text: string): Promise<void>;
  /** The same; resolves with what was in the file before, if that is not known. Rejects with the signal's reason. */
  replaceText(
    path: string,
    text: string,
    watch: {
      readonly isKnown: (text: string | undefined) => boolean;
      readonly signal: AbortSignal;
    },
  ): Promise<string | undefined>;
  remove(path: string): Promise<void>;
  /**
   * The files and links that a pattern stands for, sorted, without those of git and of Troupe; undefined when there
   * are more than `most`. Links are not followed.
   */
  list(patterns: readonly string[], most: number): Promise<readonly string[] | undefined>;
  /** A text that changes with the content of a file or the target of a link; "absent" without one. */
  print(path: string): Promise<string>;
  /** The text of a file once nobody has written to it for a moment; undefined without one. */
  readSettled(path: string, signal: AbortSignal): Promise<string | undefined>;
  /**
   * What is found in the place of a file, once that is not known: its text when nobody has written to it for a moment, or
   * why it cannot be read. Rejects with the signal's reason.
   */
  readUnknown(
    path: string,
    isKnown: (found: FoundText) => boolean,
    signal: AbortSignal,
  ): Promise<FoundText>;
}

/** The text of a file, undefined without one, or why what is in its place cannot be read. */
export type FoundText =
  | { readonly text: string | undefined; readonly problem?: undefined }
  | { readonly problem: string };

/** Where files of a repository stood, for a later comparison. */
export type GitMark = {
  /** Null before the first commit. */
  readonly commit: string | null;
  /** What differed from it, as texts that change with the content. */
  readonly differing: { readonly [path: string]: string };
};

/** What a working tree held at a moment, for whoever commits later what was changed since. Plain JSON. */
export type GitKept = {
  /** Null before the first commit. */
  readonly commit: string | null;
  /** Null when no branch is checked out. */
  readonly branch: string | null;
  /** Id of the tree of all files, those included that git does not know yet. */
  readonly tree: string;
  /** Whether it held something that no commit has. */
  readonly isDirty: boolean;
  /** Files of which the user's index held something else than the commit. */
  readonly staged: readonly string[];
  /** Files that the tree does not hold, because only their filter or their own repository could tell, by a text that changes with them. */
  readonly apart: { readonly [path: string]: string };
};

/** A commit of what was changed since. */
export interface GitCommitRequest {
  readonly subject: string;
  /** What follows the subject; empty for nothing. */
  readonly body: string;
  /** Lines at its end. A commit since then that has all of them is taken for this one. */
  readonly trailers: { readonly [name: string]: string };
}

/** What became of changes that were to be committed. */
export type GitCommitted = {
  /** Id of the commit; null when there was nothing to commit. */
  readonly commit: string | null;
  /** Files of the commit. */
  readonly files: readonly string[];
  /** Changed files that were left as they are, because a commit of them would have had somebody else's changes too. */
  readonly uncommitted: readonly string[];
};

/** What git says about a directory. Undefined outside a repository. */
export interface Git {
  branch(cwd: string): Promise<string | undefined>;
  /**
   * Changes of the working tree against HEAD, untracked files named; against the commit `since`, the content of untracked
   * files too.
   */
  diff(cwd: string, since?: string): Promise<string | undefined>;
  /** A text that changes whenever the working tree or HEAD does. */
  fingerprint(cwd: string): Promise<string | undefined>;
  /** Remembers the files that a pattern, from the root of the repository, stands for. */
  mark(cwd: string, patterns: readonly string[]): Promise<GitMark | undefined>;
  /** Those of them that were there at a mark and have changed or gone since, committed or not. */
  changedSince(
    cwd: string,
    mark: GitMark,
    patterns: readonly string[],
  ): Promise<readonly string[] | undefined>;
  /** All files that were made, changed or removed since a mark of all files, committed or not. */
  touchedSince(cwd: string, mark: GitMark): Promise<readonly string[] | undefined>;
  /** Keeps what the working tree holds, in objects of the repository that nothing refers to. */
  keep(cwd: string): Promise<GitKept | undefined>;
  /**
   * Commits what was changed since, and only that, onto what is checked out. Of a file that differed from the commit
   * before, only what was changed since; where that cannot be told apart, the file is left. Runs no hook, no filter that is not trusted
   * and no signer; what is staged in the user's index stays so.
   */
  commitSince(
    cwd: string,
    kept: GitKept,
    request: GitCommitRequest,
  ): Promise<GitCommitted | undefined>;
}

/** This machine, as programs and backends may use it. */
export interface Host {
  /** Runs a program in a process group of its own. All of the group is gone when this settles. Rejects with the signal's reason on abort; raises HOST_COMMAND_NOT_FOUND, HOST_SPAWN_FAILED. */
  run(request: CommandRequest, signal: AbortSignal): Promise<CommandResult>;
  workspace(root: string): Workspace;
  readonly git: Git;
  /** A variable of this process that a workflow names, a secret one too; undefined when it is not set. */
  variable(name: string): string | undefined;
  /** The environment that agents may see, without secrets but those that `extra` has, sealed or not (AGT-11). */
  baseEnv(extra: { readonly [name: string]: string }): { readonly [name: string]: string };
  /** The same for a command of the file itself, which may also use the keys of ssh, and variables by name (USE-9). */
  commandEnv(
    extra: { readonly [name: string]: string },
    passEnv?: readonly string[],
  ): { readonly [name: string]: string };
  /** The environment that troupe was started or resumed in, for what runs before any agent (USE-9). */
  callerEnv(extra: { readonly [name: string]: string }): { readonly [name: string]: string };
}
