import type { PlacedRow } from "./live-row.ts";
import type { LiveStyle } from "./live-style.ts";
import { cutTo, widthOf } from "./measure.ts";
import { isEditable } from "./press-key.ts";
import type { ViewState } from "./view-state.ts";

export interface FooterOptions {
  /** The selected one. */
  readonly row: PlacedRow | undefined;
  readonly columns: number;
  readonly style: LiveStyle;
}

/** What the keys of the moment are; those that matter least are left out where there is no room. */
export function footerLine(view: ViewState, { row, columns, style }: FooterOptions): string {
  const keys = view.isStopping ? ["stopping", "ctrl-c again to kill"] : keysFor(view, row, style);
  let count = keys.length;
  const text = () => ` ${keys.slice(0, count).join("  ")}`;
  while (count > 1 && widthOf(text()) > columns) count -= 1;
  return style.paint(cutTo(text(), columns, style.glyphs.ellipsis), "aside");
}

/** The most important first. */
function keysFor(
  view: ViewState,
  row: PlacedRow | undefined,
  { signs }: LiveStyle,
): readonly string[] {
  const { arrows, enter } = signs;
  const stop = view.isGuest ? "ctrl-c leave" : "ctrl-c stop";
  if (view.editor !== undefined)
    return [`${enter} send`, "esc back", `alt-${enter} new line`, stop];
  const peek = `${enter} ${view.isPeeking ? "close" : "peek"}`;
  const own = row?.item?.kind === "question" ? [`${enter} answer`] : [...decisions(row), peek];
  return [
    ...own,
    `${arrows} select`,
    view.isGuest ? "d leave" : stop,
    "? help",
    ...(row?.agent === undefined ? [] : ["m message"]),
    `g ${view.layout === "list" ? "tree" : "list"}`,
    "p pause",
    ...(row?.item === undefined || row.item.kind === "question" ? [] : ["c comment"]),
  ];
}

function decisions(row: PlacedRow | undefined): readonly string[] {
  if (row?.item === undefined) return [];
  return ["a approve", "r reject", ...(isEditable(row.item) ? ["e edit"] : [])];
}
