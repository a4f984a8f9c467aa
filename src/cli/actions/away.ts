import type { Machine } from "../../app/machine/machine.ts";
import { readHappenings } from "../../app/run/away/happenings.ts";
import { readLastLook, writeLastLook } from "../../app/run/away/last-look.ts";
import { parseDuration } from "../../foundation/duration.ts";
import { toAwayDocument } from "../away/away-document.ts";
import { awayLines } from "../away/away-lines.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { readLimit } from "../command/read-count.ts";
import { reportWarning } from "../command/report-error.ts";
import type { awayCommand } from "../commands/away.ts";
import { writeLines } from "../terminal/write-lines.ts";

// Whoever never looked wants to see the day, not the year.
const FIRST_LOOK_MS = 86_400_000;

/** `troupe away`: what finished, failed and waits since the last look. */
export const awayAction: ActionOf<typeof awayCommand> = async (invocation) => {
  const { since, mark, json: isJson } = invocation.options;
  const { io, settings } = invocation;
  const spanMs = since === undefined ? undefined : parseDuration(since, "--since");
  const machine = await openMachine(invocation);
  const nowMs = machine.clock.now();
  const lastLookMs = spanMs === undefined ? readLastLook(machine) : undefined;
  const sinceMs = lastLookMs ?? nowMs - (spanMs ?? FIRST_LOOK_MS);
  const { runs: all, problems } = readHappenings(machine, sinceMs);
  const runs = all.slice(-readLimit(invocation.options.limit));
  for (const problem of problems) reportWarning(problem, io, settings);
  const span = { sinceMs, nowMs, isLook: lastLookMs !== undefined };
  if (isJson) io.stdout.write(`${JSON.stringify(toAwayDocument(runs, span))}\n`);
  else await writeLines(invocation, awayLines(runs, span, settings));
  // What an agent reads must not make the person miss it.
  if (mark && !isJson && spanMs === undefined && (await io.agentAbove()) === undefined)
    remember(machine, nowMs, invocation);
  return EXIT.completed;
};

function remember(machine: Machine, nowMs: number, { io, settings }: Invocation): void {
  try {
    writeLastLook(machine, nowMs);
  } catch (error) {
    reportWarning(error, io, settings);
  }
}
