import type { ComparedFile, ExplainedStep, ResumePlan } from "../../app/run/explain-resume.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Glyphs } from "../terminal/glyphs.ts";
import type { Settings } from "../terminal/settings.ts";
import { excerpt } from "../view/parts/excerpt.ts";

const COLUMNS_AROUND_WHY = 40;
const MIN_WHY_CHARS = 20;

/** What `resume --explain --json` prints. */
export function toExplainDocument({ run, verdict, steps, file }: ResumePlan): object {
  return { v: 1, run, verdict, steps, file };
}

/** What resuming would do, for people. */
export function explainLines(plan: ResumePlan, settings: Settings): readonly string[] {
  const { glyphs, width } = settings;
  const maxChars = Math.max(MIN_WHY_CHARS, width - COLUMNS_AROUND_WHY);
  const shorten = (text: string) => excerpt(text, { maxChars, ellipsis: glyphs.ellipsis });
  const rows = plan.steps.map((step) => [
    `  ${glyphs[GLYPHS[step.plan]]}`,
    step.path,
    WORDS[step.plan],
    shorten(step.why),
    step.output === null ? "" : shorten(step.output),
  ]);
  return [
    verdictLine(plan),
    ...fitTable(rows, { settings, cuts: [4, 3, 1], drops: [4] }),
    ...fileLines(plan.file),
  ];
}

const WORDS: { readonly [plan in ExplainedStep["plan"]]: string } = {
  kept: "kept",
  again: "attempted again",
  waits: "waits for you",
  starts: "starts",
};

const GLYPHS: { readonly [plan in ExplainedStep["plan"]]: keyof Glyphs } = {
  kept: "done",
  again: "retry",
  waits: "attention",
  starts: "skipped",
};

function verdictLine({ run, verdict }: ResumePlan): string {
  switch (verdict.status) {
    case "goes-on":
      return `${TROUPE} resume ${run} would go on like this:`;
    case "over":
      return `${run} is over (${verdict.outcome}): resuming prints its result and starts nothing`;
    case "impossible":
      return `${run} cannot be resumed now: ${toPrintable(verdict.reason)}`;
  }
}

function fileLines({ name, status }: ComparedFile): readonly string[] {
  const file = toPrintable(name ?? "");
  switch (status) {
    case "same":
      return [`${file} is as it was when the run was started`];
    case "changed":
      return [
        `${file} has changed since; the run goes on with what it was started with, unless --with-current-file`,
      ];
    case "missing":
      return [`${file} is not there any more; the run does not need it`];
    case "unknown":
    case "none":
      return [];
  }
}
