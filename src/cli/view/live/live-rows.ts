import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { fitLine } from "../../terminal/fit-line.ts";
import type { Glyphs } from "../../terminal/glyphs.ts";
import { toSteady } from "../../terminal/measure.ts";
import { paintSign } from "../../terminal/paint-sign.ts";
import { createPlainView } from "../plain-view.ts";
import { agentRows } from "./agent-rows.ts";
import { itemRows } from "./item-rows.ts";
import type { LiveModel } from "./live-model.ts";
import { type Layout, type LiveRow, type PlacedRow, ROW_GROUPS } from "./live-row.ts";
import type { LiveStyle } from "./live-style.ts";
import { runningTurns, turnsByPath } from "./running-turns.ts";
import type { Signs } from "./signs.ts";
import { stepRows } from "./step-rows.ts";
import { treeOrder } from "./tree-order.ts";

/** All rows of a run in the order in which they are shown. */
export function liveRows(
  model: LiveModel,
  { layout, glyphs, signs }: { layout: Layout; glyphs: Glyphs; signs: Signs },
): readonly PlacedRow[] {
  const { ellipsis, times } = glyphs;
  const turns = runningTurns(model);
  const asked = itemRows(model);
  const others = [
    ...stepRows({ ...model, turns: turnsByPath(turns), ellipsis, times }),
    ...agentRows(model, turns, ellipsis),
  ];
  // What stands still until something is decided is told by what is asked.
  const placeOf = ({ path, agent }: LiveRow) => (path === undefined ? `agent ${agent}` : path);
  const places = new Set(asked.map(placeOf));
  const rows = [
    ...asked,
    ...others.filter((row) => row.sign !== "paused" || !places.has(placeOf(row))),
  ];
  const steady = rows.map((row) => ({
    ...row,
    name: toSteady(row.name),
    who: toSteady(row.who),
    text: toSteady(row.text),
  }));
  return layout === "tree" ? treeOrder(steady, model.plan, signs) : listOrder(steady, model);
}

/** Rows by group; among those that are done the last one comes first. */
function listOrder(rows: readonly LiveRow[], { state }: LiveModel): readonly PlacedRow[] {
  const seqOf = ({ path = "" }: LiveRow) => state.steps.byPath.get(path)?.seq ?? 0;
  return ROW_GROUPS.flatMap((group) => {
    const members = rows.filter((row) => row.group === group);
    if (group === "done") members.sort((left, right) => seqOf(right) - seqOf(left));
    return members.map((row) => ({ ...row, lead: "" }));
  });
}

/** What has happened, as lines that stay above the picture. */
export interface Scrollback {
  /** Tells one event in a terminal of `columns`. `state` is the run after it. */
  show(event: JournalEvent, state: RunState, columns: number): void;
}

// The summary that takes the place of the picture says these, and more.
const TOLD_BY_SUMMARY: ReadonlySet<string> = new Set(["run-ended", "run-suspended"]);

/** The lines of the plain view, in colour. */
export function createScrollback(style: LiveStyle, write: (line: string) => void): Scrollback {
  const { glyphs, paint } = style;
  const compose = ({ time, who, what }: { time: string; who: string; what: string }) =>
    `${paint(time, "aside")} ${paint(who, "message")} ${paintSign(what, style)}`;
  return {
    show: (event, state, width) => {
      if (TOLD_BY_SUMMARY.has(event.type)) return;
      const fitted = (line: string) => fitLine(line, width);
      createPlainView({ write, width, shrinks: true, fitLine: fitted, glyphs, compose }).show(
        event,
        state,
      );
    },
  };
}
