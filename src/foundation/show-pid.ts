/** A process that owns something, as errors name it. */
export interface ShownProcess {
  readonly pid: number;
  /** Where it is, if not on this machine or in this container: "on host b". */
  readonly where?: string | undefined;
}

/** Returns the pid for people, with where it means something if that is not here. */
export function showPid({ pid, where }: ShownProcess): string {
  return where === undefined ? String(pid) : `${pid} ${where}`;
}
