import { toErrorReport } from "../../foundation/errors.ts";
import { createHost } from "../../host/host.ts";
import type { Machine } from "../machine/machine.ts";
import { checkConfiguration, checkTrust } from "./check-config.ts";
import { checkNode, checkProject, checkSockets } from "./check-machine.ts";
import { checkPlugins } from "./check-plugins.ts";
import { checkLeftovers, checkProcesses } from "./check-processes.ts";
import { checkBackends, checkGit } from "./check-programs.ts";
import { checkRuns } from "./check-runs.ts";
import { checkSandbox } from "./check-sandbox.ts";
import type { Check, Finding } from "./finding.ts";

export interface ExamineOptions {
  /** Defaults to 5 s. */
  readonly versionTimeoutMs?: number;
  /** For one check; defaults to 8 s. */
  readonly deadlineMs?: number;
}

// The slowest needs two seconds on an idle machine.
const VERSION_TIMEOUT_MS = 5000;
const DEADLINE_MS = 8000;
// A program that was asked for its version has nothing to lose.
const GRACE_MS = 100;

/** Looks at everything that runs need here, side by side; changes nothing and never fails. */
export async function examine(
  machine: Machine,
  options: ExamineOptions = {},
): Promise<readonly Finding[]> {
  const { versionTimeoutMs = VERSION_TIMEOUT_MS, deadlineMs = DEADLINE_MS } = options;
  const { env, clock } = machine;
  const host = createHost({ run: "", clock, env, graceMs: GRACE_MS, reaper: false });
  const ports = { machine, host, versionTimeoutMs };
  const checks: readonly Check[] = [
    checkNode,
    checkProject(machine),
    checkSockets(machine),
    checkConfiguration(machine),
    checkTrust(machine),
    checkPlugins(machine),
    checkRuns(machine),
    checkLeftovers(machine),
    checkProcesses(machine, host),
    checkGit(ports),
    checkSandbox(machine),
    ...checkBackends(ports),
  ];
  try {
    const found = await Promise.all(checks.map((check) => lookInTime(check, deadlineMs, machine)));
    return found.flat();
  } finally {
    await host.close();
  }
}

async function lookInTime(
  { subject, look }: Check,
  deadlineMs: number,
  { clock }: Pick<Machine, "clock">,
): Promise<readonly Finding[]> {
  const stop = new AbortController();
  const late = Promise.withResolvers<readonly Finding[]>();
  const timer = clock.startTimer(deadlineMs, () => {
    stop.abort(new Error("the doctor waits no longer"));
    late.resolve([{ subject, status: "warning", text: `no answer within ${deadlineMs / 1000} s` }]);
  });
  try {
    return await Promise.race([look(stop.signal), late.promise]);
  } catch (error) {
    const { message, hint } = toErrorReport(error);
    const next = hint === undefined ? {} : { hint };
    return [{ subject, status: "problem", stops: "runs", text: message, ...next }];
  } finally {
    timer.cancel();
  }
}
