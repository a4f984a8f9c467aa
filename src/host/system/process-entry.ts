/** Names one process for good: a reused pid has another start time. */
export interface ProcessRef {
  readonly pid: number;
  /** Digits in the unit of the system (Linux: ticks since boot; macOS: seconds since the epoch). */
  readonly startedAt: string;
}

/** One process as the system shows it. */
export interface ProcessEntry extends ProcessRef {
  readonly parent: number;
  readonly group: number;
  /** 0 where the system does not tell. */
  readonly session: number;
  /** A zombie: it runs no more and only waits for its parent to notice. */
  readonly isDead: boolean;
  /** Memory that it holds beside files, what it shares included; 0 where the system does not tell. */
  memoryBytes(): number;
  /** The same with its part of what it shares; takes longer. */
  ownMemoryBytes(): number;
  /** Whether it runs as this process's user. */
  isOwn(): boolean;
  /** A variable of the environment it was started with; undefined where that may not be read. */
  variable(name: string): string | undefined;
  /** Its hard limit of file locks, where marks are kept; undefined when it has none or the system keeps none. */
  lockLimit(): bigint | undefined;
  /** Whether pids mean to it what they mean to this process; false inside a container or sandbox. */
  sharesPids(): boolean;
}

/** All processes at about one moment. */
export interface ProcessListing {
  readonly entries: readonly ProcessEntry[];
  /** False when a process ended while the list was made: a child that it left may be missing. */
  readonly isComplete: boolean;
  /** Whether some process that was asked for a variable is just starting a program and has none yet. */
  readonly hasStarting: boolean;
}

/** Which processes matter to whoever asks for a listing. */
export interface ListingScope {
  /** Only this process and those that started after it: others may be left out. */
  readonly sincePid: number;
  /** How long ago it started, at the most. */
  readonly ageMs: number;
}

/** The processes of this machine; one adapter per operating system. */
export interface ProcessTable {
  /** Dead entries included. Undefined when there is no such process. */
  find(pid: number): ProcessEntry | undefined;
  list(scope?: ListingScope): Promise<ProcessListing>;
  /** Differs after every start of the machine and between worlds whose pids mean different things. */
  bootId(): string;
  /** Name of this machine or container in one word; may change while it runs. */
  host(): string;
  /** Whether the system hands a limit of file locks down to whatever a program starts. */
  readonly hasLockLimits: boolean;
}
