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

/** How often an uninterrupted run makes each call. */
export async function countCalls(): Promise<ReadonlyMap<JournalCall, number>> {
  const sandbox = createSandbox();
  const log = join(sandbox.root, "calls");
  const wrapper = [...STRACE, "-o", log, "-e", `trace=${JOURNAL_CALLS.join(",")}`];
  const { exitCode } = await runChild(sandbox, { action: "start" }, { wrapper });
  if (exitCode !== 0) throw new Error(`the traced run ended with ${exitCode}`);
  const lines = readFileSync(log, "utf8").split("\n");
  const counts = JOURNAL_CALLS.map((call) => {
    const made = lines.filter((line) => line.startsWith(`${call}(`));
    return [call, made.length] as const;
  });
  await sandbox.remove();
  return new Map(counts);
}
