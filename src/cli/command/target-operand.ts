/** The target that a command line names first; the newest run where it names none. */
export function targetOperand(args: readonly string[]): string {
  return args[0] ?? LAST_RUN;
}

/** The newest run, wherever a run is named. */
export const LAST_RUN = "@last";
