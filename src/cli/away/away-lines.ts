import type { RunHappening } from "../../app/run/away/happenings.ts";
import { readableResult } from "../../fold/result-output.ts";
import { findItem } from "../../fold/waiting.ts";
import { count } from "../../foundation/count.ts";
import { formatDuration } from "../../foundation/duration.ts";
import { formatCost } from "../../foundation/money.ts";
import { TROUPE } from "../command/called-as.ts";
import { resumeCommandOf } from "../command/resume-command.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Glyphs } from "../terminal/glyphs.ts";
import type { Settings } from "../terminal/settings.ts";
import { answerCommands } from "../view/parts/answer-commands.ts";
import { excerpt } from "../view/parts/excerpt.ts";
import { failureIn } from "./away-document.ts";
import { AWAY_GROUPS, type AwayGroup, type AwaySpan, groupOf, totalsOf } from "./away-groups.ts";

// More than any first line that is worth reading in a table.
const MAX_TEXT_CHARS = 100;

/** What happened, for people: a line per run, and per decision that is asked for, with the command to go on. */
export function awayLines(
  runs: readonly RunHappening[],
  span: AwaySpan,
  settings: Settings,
): readonly string[] {
  const head = headLine(span);
  if (runs.length === 0) return [`${head}: nothing`];
  const rows = AWAY_GROUPS.flatMap((group) =>
    runs
      .filter((run) => groupOf(run) === group)
      .flatMap((run) => rowsOf(run, group, { span, settings })),
  );
  return [
    head,
    ...fitTable(rows, { settings, cuts: [4, 0], drops: [3, 2], below: 5 }),
    totalLine(runs, settings.glyphs),
  ];
}

function headLine({ sinceMs, nowMs, isLook }: AwaySpan): string {
  const span = formatDuration(Math.max(0, nowMs - sinceMs));
  return isLook ? `since your last look, ${span} ago` : `in the last ${span}`;
}

interface Telling {
  readonly span: AwaySpan;
  readonly settings: Settings;
}

const SIGNS: { readonly [group in AwayGroup]: keyof Glyphs } = {
  finished: "done",
  failed: "failed",
  waiting: "attention",
  stopped: "paused",
  running: "working",
  foreign: "attention",
};

/** Sign and name, what has become of it, how far it is, what is to be said, what to do. */
function rowsOf(
  run: RunHappening,
  group: AwayGroup,
  { span, settings }: Telling,
): readonly (readonly string[])[] {
  const { glyphs } = settings;
  const { run: id, workflow, instance, steps, outcome, state } = run.listing;
  const name = `${glyphs[SIGNS[group]]} ${workflow}@${instance}`;
  const done = steps.total === 0 ? "" : `${steps.done}/${steps.total} steps`;
  const cost = formatCost(run.listing);
  const shorten = (text: string) =>
    excerpt(text, { maxChars: MAX_TEXT_CHARS, ellipsis: glyphs.ellipsis });
  switch (group) {
    case "finished":
      return [[name, "finished", done, cost, quoted(shorten(readableResult(run.state)))]];
    case "failed":
      return [[name, outcome ?? "", done, cost, failureText(run, shorten), showCommand(run)]];
    case "waiting":
      return waitingRows(run, name, { span, settings });
    case "stopped":
      return [[name, state, done, cost, "", resumeCommandOf(run.state)]];
    case "running":
      return [[name, "running", done, cost, "", `${TROUPE} attach ${id}`]];
    case "foreign":
      return [[name, "foreign", done, cost, run.listing.foreign ?? "", `${TROUPE} show ${id}`]];
  }
}

function waitingRows(
  { listing, state }: RunHappening,
  name: string,
  { span, settings }: Telling,
): readonly (readonly string[])[] {
  const { run, waitingFor, needs } = listing;
  const { ellipsis } = settings.glyphs;
  const rows = waitingFor.map((item) => {
    const since = findItem(state, item.id)?.createdAt ?? state.lastAt;
    const place = item.agent === null ? (item.step ?? "") : `@${item.agent}`;
    const text = excerpt(item.text, { maxChars: MAX_TEXT_CHARS, ellipsis });
    const asked = `${item.kind} ${quoted(text)}${place === "" ? "" : ` from ${place}`}`;
    const waiting = `waiting ${formatDuration(Math.max(0, span.nowMs - since))}`;
    return [name, waiting, "", "", asked, answerCommands(item, run)[0] ?? ""];
  });
  const more = needs - waitingFor.length;
  return more <= 0 ? rows : [...rows, [name, "waiting", "", "", `${more} more`, `${TROUPE} inbox`]];
}

function failureText(run: RunHappening, shorten: (text: string) => string): string {
  const failure = failureIn(run);
  if (failure === undefined) return "";
  const { step, attempts, message } = failure;
  const tries = attempts === null || attempts < 2 ? "" : ` after ${attempts} tries`;
  return `${step === null ? "" : `step ${step}: `}${shorten(message)}${tries}`;
}

function showCommand(run: RunHappening): string {
  const { run: id, outcome } = run.listing;
  if (run.listing.resumable && outcome === "limit-reached") return resumeCommandOf(run.state);
  const step = failureIn(run)?.step ?? null;
  // Paths of steps are the words of a workflow file; one that a shell might read otherwise is left out.
  const isPlain = step !== null && /^[\w/.-]+$/u.test(step);
  return `${TROUPE} show ${id}${isPlain ? ` --step ${step}` : ""}`;
}

function quoted(text: string): string {
  return text === "" ? "" : `"${text}"`;
}

function totalLine(runs: readonly RunHappening[], { dot }: Glyphs): string {
  const { runs: number, messages, files, costUsd } = totalsOf(runs);
  const estimatedUsd = runs.reduce((sum, run) => sum + run.estimatedUsd, 0);
  return [
    count(number, "run"),
    count(messages, "message"),
    // Commands report no files, so none reported does not mean none changed.
    ...(files === 0 ? [] : [`${count(files, "file")} changed`]),
    ...(costUsd === null ? [] : [`${formatCost({ costUsd, estimatedUsd })} spent`]),
  ].join(` ${dot} `);
}
