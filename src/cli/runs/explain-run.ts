import { explainResume } from "../../app/run/explain-resume.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import type { Invocation } from "../command/command.ts";
import { toFlag } from "../command/error-form.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { explainLines, toExplainDocument } from "./explain-lines.ts";

/** Says what resuming a run would do, and does nothing. Raises USAGE_INVALID, RUN_NOT_FOUND, RUN_AMBIGUOUS. */
export async function explainRun(invocation: Invocation): Promise<number> {
  const { args, options, io, settings } = invocation;
  const others = Object.keys(options).filter((name) => name !== "explain" && name !== "json");
  if (others.length > 0)
    throw usageInvalid({
      problem: `--explain starts nothing, so ${others.map(toFlag).join(", ")} means nothing`,
    });
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, args[0] ?? "");
  const plan = explainResume(machine, run);
  const text =
    options["json"] === true
      ? JSON.stringify(toExplainDocument(plan))
      : explainLines(plan, settings).join("\n");
  io.stdout.write(`${text}\n`);
  return EXIT.completed;
}
