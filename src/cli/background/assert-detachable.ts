import { usageInvalid } from "../command/errors.ts";

/** Options that need this process for as long as the run goes on. */
export interface AttendedOptions {
  readonly record?: string;
  readonly report?: string;
  readonly progress?: string;
  readonly jsonAll?: boolean;
  readonly unsandboxed?: boolean;
}

/** Whether a run can be handed over with these options. Raises USAGE_INVALID. */
export function assertDetachable({
  record,
  report,
  progress,
  jsonAll,
  unsandboxed,
}: AttendedOptions): void {
  if (unsandboxed === true)
    throw usageInvalid({
      problem: "--unsandboxed is for runs that stay in this terminal",
      hint: "leave --detach out, or take isolation: sandbox out of the workflow",
    });
  const flags = { "--record": record, "--report": report, "--progress": progress };
  const given = Object.entries({
    ...flags,
    "--json=all": jsonAll === true ? true : undefined,
  }).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  throw usageInvalid({
    problem: `--detach leaves nobody here for ${given[0]}`,
    hint: "leave it out, and look at the run later: troupe logs, troupe report",
  });
}
