import type { ProcessLimits, ResourceLimits } from "../contracts/host.ts";

/** What is limited, in the order in which it is shown. */
export const LIMIT_NAMES = [
  "processes",
  "memoryBytes",
  "openFiles",
  "fileSizeBytes",
  "logBytes",
] as const satisfies readonly (keyof ResourceLimits)[];

/** Bounds that no honest build meets, and that keep a machine alive. */
export const DEFAULT_RESOURCE_LIMITS: ResourceLimits = {
  processes: 4096,
  memoryBytes: 16 * 1024 ** 3,
  openFiles: 65_536,
  fileSizeBytes: 16 * 1024 ** 3,
  logBytes: 64 * 1024 ** 2,
};

/** The limits, none above its ceiling. */
export function withinCeilings(
  limits: Partial<ResourceLimits>,
  ceilings: Partial<ResourceLimits>,
): Partial<ResourceLimits> {
  const entries = LIMIT_NAMES.flatMap((name) => {
    const asked = limits[name];
    return asked === undefined ? [] : [[name, Math.min(asked, ceilings[name] ?? asked)] as const];
  });
  return Object.fromEntries(entries);
}

/** A program with its arguments. */
interface Command {
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
