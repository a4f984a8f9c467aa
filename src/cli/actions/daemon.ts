import { z } from "zod";
import { daemonStatusOf, ensureDaemon, stopDaemon } from "../../app/background/ask-daemon.ts";
import { readBackgroundRuns } from "../../app/background/background-runs.ts";
import { daemonFiles } from "../../app/background/daemon-files.ts";
import type { DaemonStatus } from "../../control/daemon-protocol.ts";
import { systemClock } from "../../foundation/clock.ts";
import { TROUPE } from "../command/called-as.ts";
import type { Action, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { daemonLines } from "../daemon/daemon-lines.ts";
import { showDaemonLog } from "../daemon/show-daemon-log.ts";

const daemonOptions = z.object({
  follow: z.boolean().default(false),
  lines: z.string().exactOptional(),
  json: z.boolean().default(false),
});

type DaemonOptions = z.infer<typeof daemonOptions>;

/** `troupe daemon`: the process that carries out background runs. */
export const daemonAction: Action = async (invocation) => {
  const options = daemonOptions.parse(invocation.options);
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
