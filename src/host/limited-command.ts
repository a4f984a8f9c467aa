import type { ProcessLimits } from "../contracts/host.ts";

/** A program with its arguments. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

const SHELL = "/bin/sh";
const BLOCK_BYTES = 512;
// One after the other what dash and busybox, bash, and a shell without a name for this limit understand.
const setMark = (mark: bigint) =>
  `ulimit -w ${mark} 2>/dev/null || ulimit -x ${mark} 2>/dev/null || prlimit --pid $$ --locks=${mark} 2>/dev/null`;

/**
 * The command that sets the mark and the limits on itself and then becomes the program: Node cannot
 * set them. A limit that cannot be set is one that is lower already. Without either, the program itself.
 */
export function limitedCommand(
  { file, args }: Command,
  mark: bigint | undefined,
  { openFiles, fileSizeBytes }: ProcessLimits = {},
): Command {
  const orders = [
    ...(mark === undefined ? [] : [setMark(mark)]),
    ...(openFiles === undefined ? [] : [setLimit("n", openFiles)]),
    ...(fileSizeBytes === undefined ? [] : [setLimit("f", Math.ceil(fileSizeBytes / BLOCK_BYTES))]),
  ];
  if (orders.length === 0) return { file, args };
  const script = [...orders, 'exec "$@"'].join("\n");
  return { file: SHELL, args: ["-c", script, SHELL, file, ...args] };
}

function setLimit(letter: "n" | "f", amount: number): string {
  if (!Number.isSafeInteger(amount) || amount < 0)
    throw new RangeError(`a limit is a whole number, not ${amount}`);
  return `ulimit -${letter} ${amount} 2>/dev/null`;
}
