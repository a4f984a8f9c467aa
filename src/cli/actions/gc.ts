import {
  findGarbage,
  type Garbage,
  garbageBytes,
  removeGarbage,
} from "../../app/setup/garbage/collect-garbage.ts";
import type { GarbagePolicy } from "../../app/setup/garbage/doomed-runs.ts";
import { parseDuration } from "../../foundation/duration.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { confirm } from "../command/confirm.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { readCount } from "../command/read-count.ts";
import { reportWarning } from "../command/report-error.ts";
import type { gcCommand } from "../commands/gc.ts";
import { garbageLines, toGarbageDocument, whatIsGarbage } from "../runs/garbage-lines.ts";

type GcOptions = OptionsOf<typeof gcCommand>;

const DEFAULT_AGE = "30d";

/** `troupe gc`: looks, asks, removes. */
export const gcAction: ActionOf<typeof gcCommand> = async (invocation) => {
  const { options } = invocation;
  const policy = toPolicy(invocation.args, options);
  const machine = await openMachine(invocation);
  const found = await findGarbage(machine, policy);
  for (const problem of found.problems) reportWarning(problem, invocation.io, invocation.settings);
  const isEmpty = found.runs.length === 0 && found.leftovers.length === 0;
  if (options.dryRun || isEmpty) {
    tell(found, { ...options, isRemoved: false }, invocation);
    return EXIT.completed;
  }
  if (!(await isAgreed(found, options, invocation))) return EXIT.failed;
  const removed = await removeGarbage(machine, found, policy);
  for (const problem of removed.problems)
    reportWarning(problem, invocation.io, invocation.settings);
  tell(removed, { ...options, isRemoved: true }, invocation);
  return removed.problems.length === 0 ? EXIT.completed : EXIT.failed;
};

function toPolicy(named: readonly string[], options: GcOptions): GarbagePolicy {
  const { olderThan, keep, force: isForced } = options;
  if (named.length > 0 && (olderThan !== undefined || keep !== undefined))
    throw usageInvalid({ problem: "runs are named, so --older-than and --keep have no meaning" });
  if (isForced && named.length === 0)
    throw usageInvalid({
      problem: "--force is for runs that are named",
      hint: "troupe gc RUN --force",
    });
  const age = olderThan ?? (keep === undefined ? DEFAULT_AGE : undefined);
  return {
    named,
    isForced,
    ...(age === undefined ? {} : { olderThanMs: parseDuration(age, "--older-than") }),
    ...(keep === undefined ? {} : { keep: readCount(keep, "--keep") }),
  };
}

async function isAgreed(
  found: Garbage,
  { json: isJson }: GcOptions,
  invocation: Invocation,
): Promise<boolean> {
  // Nothing is lost with what dead processes left.
  if (found.runs.length === 0) return true;
  const { io, settings } = invocation;
  const isAsked = settings.mayAsk && !settings.saysYes && !isJson;
  if (isAsked) io.stdout.write(`${garbageLines(found).join("\n")}\n`);
  const question = `remove ${whatIsGarbage(found)}?`;
  const withoutTerminal = "add -y, or look first with --dry-run";
  return confirm({ question, withoutTerminal }, invocation);
}

function tell(
  garbage: Garbage,
  told: { readonly json: boolean; readonly isRemoved: boolean },
  { io, settings }: Invocation,
): void {
  if (told.json) {
    io.stdout.write(`${JSON.stringify(toGarbageDocument(garbage, told.isRemoved))}\n`);
    return;
  }
  if (settings.isQuiet) return;
  if (garbageBytes(garbage) === 0 && garbage.runs.length === 0 && garbage.leftovers.length === 0) {
    io.stdout.write("nothing to remove\n");
    return;
  }
  const verb = told.isRemoved ? "removed" : "would remove";
  const lines = told.isRemoved ? [] : garbageLines(garbage);
  io.stdout.write(`${[...lines, `${verb} ${whatIsGarbage(garbage)}`].join("\n")}\n`);
}
