import { TROUPE } from "../../command/called-as.ts";
import { editorLines } from "./editor-lines.ts";
import type { LiveModel } from "./live-model.ts";
import type { PlacedRow, RowGroup } from "./live-row.ts";
import type { LiveStyle } from "./live-style.ts";
import { framePane, type PaneSection, type PaneSize, sectionLines } from "./pane.ts";
import { askedSections, peekSections } from "./peek-sections.ts";
import { selectedRow } from "./press-key.ts";
import { isWhole, type RowLineOptions, rowColumns, rowLine } from "./row-line.ts";
import type { ViewState } from "./view-state.ts";

/** Everything that one picture shows. */
export interface Picture {
  readonly model: LiveModel;
  readonly view: ViewState;
  readonly rows: readonly PlacedRow[];
}

/** Rows that stay visible beside a pane. */
const ROWS_BESIDE_PANE = 3;
const MIN_PANE_ROWS = 2;

/** The rows between header and footer, with a pane under the selected one; or the help. */
export function bodyLines(
  picture: Picture,
  size: PaneSize,
  { style, hasKeys }: { readonly style: LiveStyle; readonly hasKeys: boolean },
): readonly string[] {
  const { model, view, rows } = picture;
  if (view.isHelpShown) return helpLines(style, view.isGuest).slice(0, size.rows);
  const selected = selectedRow(view, rows);
  const options: RowLineOptions = {
    columns: rowColumns(rows, size.columns),
    style,
    nowMs: model.nowMs,
    hasKeys,
  };
  const paneRoom = size.rows - Math.min(rows.length, ROWS_BESIDE_PANE);
  const pane =
    paneRoom < MIN_PANE_ROWS ? [] : paneLines(picture, { ...size, rows: paneRoom }, options);
  const place = selected === undefined ? -1 : rows.indexOf(selected);
  const { shown, hidden } = visibleRows(rows, place, size.rows - pane.length);
  const isTold = hidden.length > 0 && size.rows > 1;
  const rest = `  ${style.glyphs.ellipsis} ${hidden.length} more: ${tellGroups(hidden)}`;
  const more = style.paint(rest, "aside");
  return [
    ...shown.flatMap((row) =>
      row === selected ? [rowLine(row, options, true), ...pane] : [rowLine(row, options, false)],
    ),
    ...(selected === undefined ? pane : []),
    ...(isTold ? [more] : []),
  ];
}

/** What stands under the selected row: what is written, what is asked, or all about it. */
function paneLines(
  { model, view, rows }: Picture,
  size: PaneSize,
  options: RowLineOptions,
): readonly string[] {
  const { style } = options;
  if (view.editor !== undefined)
    return framePane(editorLines(view.editor, size, style), size, style);
  const row = selectedRow(view, rows);
  if (row === undefined) return [];
  const sections = view.isPeeking ? peekSections(row, model) : unshownSections(row, options);
  return framePane(sectionLines(sections, size, style), size, style);
}

/** What somebody decides on is shown whole, without being asked for. */
function unshownSections(row: PlacedRow, options: RowLineOptions): readonly PaneSection[] {
  if (row.item === undefined) return [];
  const sections = askedSections(row.item);
  const isLonger = sections.length > 1 || sections.some(({ text }) => text.includes("\n"));
  return isLonger || !isWhole(row, options) ? sections : [];
}

/** The rows that there is room for, with the selected one among them. */
function visibleRows(
  rows: readonly PlacedRow[],
  place: number,
  room: number,
): { readonly shown: readonly PlacedRow[]; readonly hidden: readonly PlacedRow[] } {
  if (rows.length <= room) return { shown: rows, hidden: [] };
  const count = Math.max(1, room - 1);
  const start = Math.max(0, Math.min(place - count + 1, rows.length - count));
  const end = start + count;
  return { shown: rows.slice(start, end), hidden: [...rows.slice(0, start), ...rows.slice(end)] };
}

const GROUP_WORDS: { readonly [group in RowGroup]: string } = {
  needs: "need you",
  failed: "failed",
  retrying: "working",
  working: "working",
  waiting: "to come",
  idle: "idle",
  done: "done",
};

/** What rows there is no room for are: `2 working, 9 idle`. */
function tellGroups(rows: readonly PlacedRow[]): string {
  const words = Map.groupBy(rows, ({ group }) => GROUP_WORDS[group]);
  return [...words].map(([word, members]) => `${members.length} ${word}`).join(", ");
}

/** What all keys do; where another process carries the run out, one leaves instead of stopping it. */
function helpLines({ signs }: LiveStyle, isGuest: boolean): readonly string[] {
  const { arrows, enter } = signs;
  const keys: readonly (readonly [string, string])[] = [
    [`${arrows} j k`, "select a row; page up, page down, home and end go further"],
    ["/ n", "select the next row with a text; the one after it"],
    [enter, "look into the row, or answer its question"],
    ["a", "approve what is asked"],
    ["w", "allow it, and the same of this agent for the rest of the run"],
    ["c", "approve it with a comment"],
    ["r", "reject it, with a reason"],
    ["e", "edit what is approved, then approve it"],
    ["m", "write to the agent of the row"],
    ["g", "order by dependencies, or by attention"],
    ["p", `pause the run; ${TROUPE} resume goes on`],
    ["esc", "close, select nothing"],
    ...(isGuest
      ? ([["d ctrl-c", "leave; the run goes on"]] as const)
      : ([
          ["d", "leave; the run goes on in the background"],
          ["ctrl-c", "let go of the run; twice ends the process"],
        ] as const)),
    ["?", "this help; any key closes it"],
  ];
  const width = Math.max(...keys.map(([key]) => key.length));
  return keys.map(([key, about]) => `  ${key.padEnd(width)}  ${about}`);
}
