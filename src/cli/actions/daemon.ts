import { daemonStatusOf, ensureDaemon, stopDaemon } from "../../app/background/ask-daemon.ts";
import { type BackgroundRun, readBackgroundRuns } from "../../app/background/background-runs.ts";
import { daemonFiles } from "../../app/background/daemon-files.ts";
import { daemonLogMissing } from "../../app/background/errors.ts";
import { BUILD } from "../../app/machine/place/version.ts";
import type { DaemonStatus, HeldRunReport } from "../../control/daemon-protocol.ts";
import { systemClock } from "../../foundation/clock.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { readCount } from "../command/read-count.ts";
import type { daemonCommand } from "../commands/daemon.ts";
import { followLog, logSize, readLog } from "../terminal/log-file.ts";
import { alignColumns } from "../terminal/table.ts";

const SHOWN_LINES = "100";

// The log is emptied when it is longer than one MiB.
const MAX_READ_BYTES = 2_097_152;

/** Which part of the log is shown, and how. */
interface LogOptions {
  readonly follow: boolean;
  readonly lines?: string;
  readonly json: boolean;
}

/** Shows the end of the daemon's log, and with `follow` what is added, until Ctrl-C. Raises DAEMON_LOG_MISSING. */
async function showDaemonLog(
  { follow, lines = SHOWN_LINES, json }: LogOptions,
  { io }: Invocation,
): Promise<number> {
  const count = readCount(lines, "-n");
  const file = daemonFiles(io.env).log;
  const size = logSize(file);
  if (size === undefined) throw daemonLogMissing({ file });
  const part = readLog(file, Math.max(0, size - MAX_READ_BYTES));
  const { lines: all, toBytes } = part ?? { lines: [], toBytes: size };
  const shown = count === 0 ? [] : all.slice(-count);
  if (json) {
    io.stdout.write(`${JSON.stringify({ v: 1, file, lines: shown })}\n`);
    return EXIT.completed;
  }
  const write = (line: string) => io.stdout.write(`${toPrintable(line)}\n`);
  for (const line of shown) write(line);
  if (follow) await followUntilStopped(file, toBytes, { write, io });
  return EXIT.completed;
}

async function followUntilStopped(
  file: string,
  fromBytes: number,
  { write, io }: { readonly write: (line: string) => void } & Pick<Invocation, "io">,
): Promise<void> {
  const over = new AbortController();
  const ends = [io.onSignal(() => over.abort()), io.stdout.onClosed(() => over.abort())];
  await followLog(file, fromBytes, { write, signal: over.signal });
  for (const end of ends) end();
}

type DaemonOptions = OptionsOf<typeof daemonCommand>;

/** `troupe daemon`: the process that carries out background runs. */
export const daemonAction: ActionOf<typeof daemonCommand> = async (invocation) => {
  const { options } = invocation;
  const [action = "status"] = invocation.args;
  assertFitting(action, options);
  if (action === "logs") return showDaemonLog(options, invocation);
  const client = { env: invocation.io.env, clock: systemClock };
  if (action === "status") return tellStatus(await daemonStatusOf(client), options, invocation);
  if (action === "start") return tellStatus(await ensureDaemon(client), options, invocation);
  return tellStopped(await stopDaemon(client), options, invocation);
};

function assertFitting(action: string, { follow, lines, json }: DaemonOptions): void {
  if (action !== "logs" && (follow || lines !== undefined))
    throw usageInvalid({ problem: `-f and -n go with logs, not with ${action}` });
  if (follow && json) throw usageInvalid({ problem: "-f and --json exclude each other" });
}

function tellStatus(
  status: DaemonStatus | undefined,
  { json }: DaemonOptions,
  { io, settings }: Invocation,
): number {
  const waiting = status === undefined ? readBackgroundRuns(daemonFiles(io.env).background) : [];
  if (json) {
    const runs = waiting.map(({ run, project, workflow, instance, status: state }) => ({
      ...{ run, project, workflow, instance, state },
    }));
    const body = status ?? { pid: null, runs };
    io.stdout.write(`${JSON.stringify({ v: 1, isRunning: status !== undefined, ...body })}\n`);
  } else if (!settings.isQuiet) {
    io.stdout.write(`${daemonLines(status, waiting).join("\n")}\n`);
  }
  return EXIT.completed;
}

function tellStopped(
  suspended: number | undefined,
  { json }: DaemonOptions,
  { io, settings }: Invocation,
): number {
  if (json) {
    const body = { v: 1, wasRunning: suspended !== undefined, suspended: suspended ?? 0 };
    io.stdout.write(`${JSON.stringify(body)}\n`);
  } else if (!settings.isQuiet) io.stdout.write(`${stoppedLine(suspended)}\n`);
  return EXIT.completed;
}

function stoppedLine(suspended: number | undefined): string {
  if (suspended === undefined) return "no daemon was running";
  if (suspended === 0) return "the daemon has stopped";
  const runs = suspended === 1 ? "1 run was" : `${suspended} runs were`;
  return `the daemon has stopped; ${runs} let go, and the next daemon goes on with ${suspended === 1 ? "it" : "them"}: ${TROUPE} daemon start`;
}

/** The daemon for people; `waiting` is what the next one goes on with when none runs. */
function daemonLines(
  status: DaemonStatus | undefined,
  waiting: readonly BackgroundRun[],
): readonly string[] {
  if (status === undefined) {
    const runs = waiting.map((run) => ({
      ...run,
      state: run.status === "given-up" ? "given up" : "waits",
    }));
    return ["the daemon is not running", ...runLines(runs)];
  }
  const { pid, version, startedAt, runs, givenUp, isDraining } = status;
  const word = isDraining ? "lets go of its runs" : "is running";
  return [
    `the daemon ${word}: pid ${pid}, troupe ${toPrintable(version)}, since ${toPrintable(startedAt)}`,
    ...(version === BUILD ? [] : [otherVersionLine()]),
    ...runLines([...runs, ...givenUp]),
  ];
}

/** What it refuses to take, it refuses with DAEMON_VERSION_MISMATCH. */
function otherVersionLine(): string {
  return `it takes nothing from this troupe, which is ${BUILD}; end it, and the next one goes on with its runs: ${TROUPE} daemon stop && ${TROUPE} daemon start`;
}

function runLines(runs: readonly HeldRunReport[]): readonly string[] {
  if (runs.length === 0) return [];
  const rows = runs.map(({ run, workflow, instance, state, project, problem }) => [
    run,
    `${workflow}@${instance}`,
    state,
    problem ?? project,
  ]);
  return alignColumns([["RUN", "INSTANCE", "STATE", "PROJECT"], ...rows]);
}
