import { loadCurrentFile, migrateRun } from "../../app/again/migrate/migrate-run.ts";
import type { RerunChoice } from "../../app/again/rerun/rerun-choice.ts";
import { createRerun } from "../../app/again/rerun/rerun-run.ts";
import { areHarmless } from "../../app/catalogue/show-problems.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { explainResume } from "../../app/run/explain-resume.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { inspectRun } from "../../app/runs/run-lookup.ts";
import { isOver } from "../../fold/waiting.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { goOn } from "../attend/go-on.ts";
import { tellAtOnce } from "../attend/tell-at-once.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { givenOptions, toFlag } from "../command/option.ts";
import { readCount } from "../command/read-count.ts";
import { targetOperand } from "../command/target-operand.ts";
import type { resumeCommand } from "../commands/resume.ts";
import { tellProblems } from "../prepare/tell-problems.ts";
import { explainLines, toExplainDocument } from "../runs/explain-lines.ts";
import { rerunLine } from "../runs/rerun-line.ts";
import type { Progress } from "../view/progress.ts";

/** `troupe resume`: goes on with a run, or tells what it came to. */
export const resumeAction: ActionOf<typeof resumeCommand> = async (invocation) => {
  const { explain, withCurrentFile, from, ...options } = invocation.options;
  if (explain) return explainRun(invocation);
  if (from !== undefined && withCurrentFile)
    throw usageInvalid({
      problem: "--from goes on with the workflow as it was, without --with-current-file",
    });
  const choice = from === undefined ? undefined : iterationChoice(from);
  return goOn(options, invocation, {
    findRun: async (machine, progress) => {
      const { run } = resolveTarget(machine, targetOperand(invocation.args));
      if (choice !== undefined) {
        const rerun = await createRerun(machine, run, choice);
        tellAtOnce(rerunLine(rerun), progress, invocation);
        return rerun.run;
      }
      const isWanted = withCurrentFile && !isOver(inspectRun(machine, run));
      return !isWanted || (await migrate(machine, run, { progress, invocation })) ? run : undefined;
    },
  });
};

function iterationChoice(from: string): RerunChoice {
  return { kind: "iteration", from: readCount(from, "--from") };
}

/** Whether the run goes on with its file as it is now; else what is wrong with that was told. */
async function migrate(
  machine: Machine,
  run: string,
  { progress, invocation }: { readonly progress: Progress; readonly invocation: Invocation },
): Promise<boolean> {
  const current = await loadCurrentFile(machine, run);
  const { definition, problems } = current.loaded;
  await tellProblems(current.loaded, invocation);
  if (definition === undefined || !areHarmless(problems)) return false;
  const isChanged = await migrateRun(machine, current, definition);
  const file = toPrintable(current.file);
  const told = isChanged ? `goes on with ${file} as it is now` : `${file} is as it was`;
  tellAtOnce(`${run}: ${told}`, progress, invocation);
  return true;
}

/** Says what resuming a run would do, and does nothing. Raises USAGE_INVALID, RUN_NOT_FOUND, RUN_AMBIGUOUS. */
async function explainRun(invocation: Invocation): Promise<number> {
  const { args, options, io, settings } = invocation;
  const others = givenOptions(options).filter((name) => name !== "explain" && name !== "json");
  if (others.length > 0)
    throw usageInvalid({
      problem: `--explain starts nothing, so ${others.map(toFlag).join(", ")} means nothing`,
    });
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, targetOperand(args));
  const plan = await explainResume(machine, run);
  const text =
    options["json"] === true
      ? JSON.stringify(toExplainDocument(plan))
      : explainLines(plan, settings).join("\n");
  io.stdout.write(`${text}\n`);
  return EXIT.completed;
}
