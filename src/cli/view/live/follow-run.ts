import { runningMsAt } from "../../../fold/running-time.ts";
import type { InboxResolution } from "../../../fold/state/inbox-state.ts";
import { toPrintable } from "../../../foundation/printable.ts";
import { isAsked, type LiveModel } from "./live-model.ts";
import type { LiveRow, PlacedRow } from "./live-row.ts";
import { ARMING_MS, select } from "./press-key.ts";
import { untilNextSpinMs } from "./row-line.ts";
import { type ViewState, withNotice } from "./view-state.ts";

/**
 * The view after the run has moved on. A text for an item that somebody else decided is put away and said
 * so, never given to another item. The first thing that is asked is selected by itself; after what was
 * selected was decided by somebody else, a person has to choose.
 */
export function followRun(
  view: ViewState,
  model: LiveModel,
  rows: readonly PlacedRow[],
): ViewState {
  return followSelection(followEditor(view, model), model, rows);
}

function followEditor(view: ViewState, model: LiveModel): ViewState {
  const { state, nowMs } = model;
  const purpose = view.editor?.purpose;
  if (purpose === undefined || purpose.kind === "message") return view;
  const { id } = purpose.item;
  if (isAsked(model, id)) return view;
  const text = `${tellGone(id, state.resolved.get(id))}; your text was not sent`;
  return { ...withNotice(view, text, nowMs), editor: undefined, selection: { status: "lost" } };
}

function followSelection(
  view: ViewState,
  { state, sent, nowMs }: LiveModel,
  rows: readonly PlacedRow[],
): ViewState {
  const { selection } = view;
  if (selection.status === "lost") return view;
  if (selection.status === "on") {
    if (rows.some(({ id }) => id === selection.id)) return view;
    const [, item = ""] = selection.id.split("item:");
    if (item !== "" && !sent.has(item)) {
      const text = tellGone(item, state.resolved.get(item));
      const lost = { ...view, isPeeking: false, selection: { status: "lost" } } as const;
      return view.notice === undefined ? withNotice(lost, text, nowMs) : lost;
    }
  }
  const next = rows.find(({ item }) => item !== undefined);
  const unpeeked = { ...view, isPeeking: false };
  if (next === undefined) return { ...unpeeked, selection: { status: "none" } };
  return select(unpeeked, next.id, nowMs + ARMING_MS);
}

function tellGone(id: string, resolution: InboxResolution | undefined): string {
  if (resolution === undefined) return `${id} is no longer asked`;
  const decision = resolution.kind === "question" ? "answered" : resolution.decision;
  return `${id} was ${decision} by ${toPrintable(resolution.by)}`;
}

const SECOND_MS = 1000;

/** After how many ms a picture changes though nothing happens; undefined for never. */
export function untilNextChangeMs(
  model: LiveModel,
  { notice }: ViewState,
  rows: readonly LiveRow[],
): number | undefined {
  const { state, nowMs } = model;
  if (rows.some(({ sign }) => sign === "spinner")) return untilNextSpinMs(nowMs);
  const isRunning = runningMsAt(state, nowMs + SECOND_MS) !== runningMsAt(state, nowMs);
  const isTicking = isRunning || rows.some((row) => row.isTicking);
  if (isTicking) return SECOND_MS;
  return notice !== undefined && notice.untilMs > nowMs ? notice.untilMs - nowMs : undefined;
}
