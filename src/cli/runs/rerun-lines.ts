import type { RerunPlan, RerunStep } from "../../app/again/rerun/explain-rerun.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { Settings } from "../terminal/settings.ts";
import { alignColumns } from "../terminal/table.ts";
import { excerpt } from "../view/parts/excerpt.ts";

const COLUMNS_BEFORE_WHY = 30;
const MIN_WHY_CHARS = 40;

/** What `rerun --explain --json` prints. */
export function toRerunDocument({ run, steps, forgetful }: RerunPlan): object {
  return { v: 1, run, steps, forgetful };
}

/** What a rerun would do, for people. */
export function rerunLines(
  { run, steps, forgetful }: RerunPlan,
  { glyphs, width }: Settings,
): readonly string[] {
  const maxChars = Math.max(MIN_WHY_CHARS, width - COLUMNS_BEFORE_WHY);
  const rows = steps.map(({ path, plan, why }) => [
    `  ${plan === "reused" ? glyphs.done : glyphs.retry}`,
    path,
    WORDS[plan],
    excerpt(why, { maxChars, ellipsis: glyphs.ellipsis }),
  ]);
  return [
    `a rerun of ${run} would go like this:`,
    ...alignColumns(rows),
    ...forgetful.map(
      (agent) => `${toPrintable(agent)} keeps its session and would not remember reused steps`,
    ),
  ];
}

const WORDS: { readonly [plan in RerunStep["plan"]]: string } = {
  reused: "reused",
  again: "carried out again",
};
