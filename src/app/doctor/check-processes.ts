import type { ProcessHost } from "../../host/host.ts";
import { isMark } from "../../host/kernel-mark.ts";
import { findLeftovers, findUnmarked } from "../../host/leftovers.ts";
import type { ProcessRef } from "../../host/system/process-entry.ts";
import type { Machine } from "../machine/machine.ts";
import type { Check, Finding } from "./finding.ts";

type Told = Omit<Finding, "subject">;

const LIMITS = "/proc/self/limits";
const WEAKER =
  "what leaves its session and parents and empties its environment may outlive its run, and is not found";

/** Processes that runs left behind; every command that works on runs ends them. */
export function checkLeftovers({ table }: Pick<Machine, "table">): Check {
  const subject = "leftovers";
  return {
    subject,
    look: async () => {
      const [leftovers, unmarked] = await Promise.all([findLeftovers(table), findUnmarked(table)]);
      const found = [...tellLeftovers(leftovers), ...tellUnmarked(unmarked)];
      if (found.length > 0) return found.map((finding) => ({ subject, ...finding }));
      return [{ subject, status: "ok", text: "no processes of runs are left" }];
    },
  };
}

/** How surely what programs start ends with them on this system. */
export function checkProcesses(machine: Machine, host: ProcessHost): Check {
  const subject = "processes";
  return {
    subject,
    look: async (signal) => {
      if (!machine.table.hasLockLimits) {
        const text = `weaker on this system than on Linux: ${WEAKER}`;
        return [{ subject, status: "note", text }];
      }
      if (await isMarked(machine, host, signal))
        return [{ subject, status: "ok", text: "all that a program starts is found by its mark" }];
      const text = `programs cannot be given a mark here: ${WEAKER}`;
      const hint = "prlimit -p $$ -x shows the limit of file locks, which has to be unlimited";
      return [{ subject, status: "warning", text, hint }];
    },
  };
}

function tellLeftovers(leftovers: readonly ProcessRef[]): readonly Told[] {
  if (leftovers.length === 0) return [];
  const text = `${leftovers.length} process(es) of runs whose owner died: ${pidsOf(leftovers)}`;
  return [{ status: "warning", text, hint: "they are ended by: troupe runs" }];
}

function tellUnmarked(unmarked: readonly ProcessRef[]): readonly Told[] {
  if (unmarked.length === 0) return [];
  const text = `${unmarked.length} process(es) have a limit of file locks that Troupe did not set, so nobody can tell what they came from: ${pidsOf(unmarked)}`;
  const hint = "look at them with ps: some services do so, and what hides from Troupe";
  return [{ status: "note", text, hint }];
}

/** Starts a program and looks at what the system says of it. */
async function isMarked(
  { project }: Machine,
  host: ProcessHost,
  signal: AbortSignal,
): Promise<boolean> {
  const command = ["/bin/sh", "-c", `while read -r line; do echo "$line"; done < ${LIMITS}`];
  const { stdout } = await host.run({ command, cwd: project.cwd, env: {} }, signal);
  const limit = /^Max file locks +\S+ +(\d+)/m.exec(stdout)?.[1];
  return limit !== undefined && isMark(BigInt(limit));
}

function pidsOf(processes: readonly ProcessRef[]): string {
  return processes.map(({ pid }) => pid).join(", ");
}
