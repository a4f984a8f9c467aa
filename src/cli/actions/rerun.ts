import {
  explainRerun,
  type RerunPlan,
  type RerunStep,
} from "../../app/again/rerun/explain-rerun.ts";
import type { RerunChoice } from "../../app/again/rerun/rerun-choice.ts";
import { createRerun } from "../../app/again/rerun/rerun-run.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { goOn } from "../attend/go-on.ts";
import { tellAtOnce } from "../attend/tell-at-once.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { givenOptions, toFlag } from "../command/option.ts";
import { targetOperand } from "../command/target-operand.ts";
import type { rerunCommand } from "../commands/rerun.ts";
import { rerunLine } from "../runs/rerun-line.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Settings } from "../terminal/settings.ts";
import { excerpt } from "../view/parts/excerpt.ts";

/** `troupe rerun` */
export const rerunAction: ActionOf<typeof rerunCommand> = async (invocation) => {
  const { failed, from, only, explain, ...options } = invocation.options;
  const choice = readChoice({ failed, from, only });
  if (explain) return explainChoice(choice, invocation);
  return goOn(options, invocation, {
    findRun: async (machine, progress) => {
      const { run } = resolveTarget(machine, targetOperand(invocation.args));
      const rerun = await createRerun(machine, run, choice);
      tellAtOnce(rerunLine(rerun), progress, invocation);
      return rerun.run;
    },
  });
};

function readChoice(given: {
  readonly failed: boolean;
  readonly from: string | undefined;
  readonly only: string | undefined;
}): RerunChoice {
  const choices: readonly RerunChoice[] = [
    ...(given.failed ? [{ kind: "failed" } as const] : []),
    ...(given.from === undefined ? [] : [{ kind: "from", step: given.from } as const]),
    ...(given.only === undefined ? [] : [{ kind: "only", step: given.only } as const]),
  ];
  const [choice, other] = choices;
  if (other === undefined) return choice ?? { kind: "all" };
  throw usageInvalid({
    problem: "say one thing: --failed, --from STEP or --only STEP; none of them for all steps",
    hint: "see what each would do: troupe rerun RUN --failed --explain",
  });
}

async function explainChoice(choice: RerunChoice, invocation: Invocation): Promise<number> {
  const { io, options, settings, args } = invocation;
  const useless = givenOptions(options).filter((name) => !USED_ALONE.has(name));
  if (useless.length > 0)
    throw usageInvalid({
      problem: `--explain starts nothing, so ${useless.map(toFlag).join(", ")} means nothing`,
    });
  const machine = await openMachine(invocation);
  const { run } = resolveTarget(machine, targetOperand(args));
  const plan = await explainRerun(machine, run, choice);
  const text =
    options["json"] === true
      ? JSON.stringify(toRerunDocument(plan))
      : rerunLines(plan, settings).join("\n");
  io.stdout.write(`${text}\n`);
  return EXIT.completed;
}

const USED_ALONE: ReadonlySet<string> = new Set(["failed", "from", "only", "explain", "json"]);

const COLUMNS_BEFORE_WHY = 30;

const MIN_WHY_CHARS = 40;

/** What `rerun --explain --json` prints. */
function toRerunDocument({ run, steps, forgetful }: RerunPlan): object {
  return { v: 1, run, steps, forgetful };
}

/** What a rerun would do, for people. */
function rerunLines({ run, steps, forgetful }: RerunPlan, settings: Settings): readonly string[] {
  const { glyphs, width } = settings;
  const maxChars = Math.max(MIN_WHY_CHARS, width - COLUMNS_BEFORE_WHY);
  const rows = steps.map(({ path, plan, why }) => [
    `  ${plan === "reused" ? glyphs.done : glyphs.retry}`,
    path,
    WORDS[plan],
    excerpt(why, { maxChars, ellipsis: glyphs.ellipsis }),
  ]);
  return [
    `a rerun of ${run} would go like this:`,
    ...fitTable(rows, { settings, cuts: [3, 1] }),
    ...forgetful.map(
      (agent) => `${toPrintable(agent)} keeps its session and would not remember reused steps`,
    ),
  ];
}

const WORDS: { readonly [plan in RerunStep["plan"]]: string } = {
  reused: "reused",
  again: "carried out again",
};
