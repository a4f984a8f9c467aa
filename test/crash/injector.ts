import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runChild } from "./child-run.ts";
import { createSandbox } from "./sandbox.ts";

/** The system calls by which a journal changes, each a point at which a process can die. */
export const JOURNAL_CALLS = [
  "pwrite64",
  "fsync",
  "fdatasync",
  "ftruncate",
  "rename",
  "unlink",
] as const;

export type JournalCall = (typeof JOURNAL_CALLS)[number];

/** What happens at a call: the process is killed or stopped before it, or the call fails. */
export type Fault = "signal=KILL" | "signal=STOP" | "error=EIO" | "error=ENOSPC";

// -D: the traced process, not strace, is the child. Only its main thread is traced, which makes all calls of
// the journal. --seccomp-bpf would be quicker, but no signal comes out of the stops that it makes.
const STRACE = ["strace", "-qq", "-D"];

/** The wrapper that makes something happen at the n-th call of a kind; `6+` means each from the sixth on. */
export function injecting(call: JournalCall, fault: Fault, when: string): readonly string[] {
  return [
    ...STRACE,
    "-o",
    "/dev/null",
    "-e",
    `trace=${call}`,
    "-e",
    `inject=${call}:${fault}:when=${when}`,
  ];
}

/** How often an uninterrupted run makes a call, and which of those are one of very many on the same errand. */
export interface Calls {
  readonly count: number;
  /** Numbers of calls from 1 that do what their neighbours do: a log that is being grown is hundreds of writes. */
  readonly alike: ReadonlySet<number>;
}

/** What an uninterrupted run calls. */
export async function countCalls(): Promise<ReadonlyMap<JournalCall, Calls>> {
  const sandbox = createSandbox();
  const log = join(sandbox.root, "calls");
  const wrapper = [...STRACE, "-o", log, "-e", `trace=${JOURNAL_CALLS.join(",")}`];
  const { exitCode } = await runChild(sandbox, { action: "start" }, { wrapper });
  if (exitCode !== 0) throw new Error(`the traced run ended with ${exitCode}`);
  const names = readFileSync(log, "utf8").split("\n").map(nameOf);
  await sandbox.remove();
  return new Map(JOURNAL_CALLS.map((call) => [call, callsOf(call, names)]));
}

// A commit is a few dozen calls of one kind in a row at most.
const LONG_ROW = 200;
const ENDS_OF_ROW = 10;

/** The calls of one kind among all, in their order. */
function callsOf(call: JournalCall, names: readonly string[]): Calls {
  const alike = new Set<number>();
  let count = 0;
  let rowLength = 0;
  for (const name of [...names, "end"]) {
    if (name === call) {
      count += 1;
      rowLength += 1;
      continue;
    }
    const inner = rowLength < LONG_ROW ? 0 : rowLength - 2 * ENDS_OF_ROW;
    for (let index = 0; index < inner; index += 1) alike.add(count - ENDS_OF_ROW - index);
    rowLength = 0;
  }
  return { count, alike };
}

function nameOf(line: string): string {
  return line.slice(0, Math.max(0, line.indexOf("(")));
}
