import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import { isEditable } from "../../../fold/waiting.ts";
import type { Json } from "../../../foundation/json.ts";
import type { Key, KeyName } from "./key.ts";
import type { PlacedRow } from "./live-row.ts";
import { pressInSearch, searchNext } from "./search-rows.ts";
import { draftText, editDraft } from "./text-draft.ts";
import { type Purpose, type ViewState, withDraft, withNotice } from "./view-state.ts";

/** What a person says to an item; `always` holds for the same of the agent, for the rest of the run. */
export type ItemVerdict = "yes" | "always" | "no";

/** What a key asks for beyond another picture. */
export type LiveEffect =
  | {
      readonly kind: "decide";
      readonly item: InboxItem;
      readonly verdict: ItemVerdict;
      readonly comment: string;
      /** What is approved instead of what was shown. */
      readonly edited?: Json;
    }
  | { readonly kind: "answer"; readonly item: InboxItem; readonly text: string }
  | { readonly kind: "edit"; readonly item: InboxItem }
  | { readonly kind: "send"; readonly agent: string; readonly text: string }
  | { readonly kind: "pause" }
  | { readonly kind: "interrupt" }
  /** The person goes away from a run that another process carries out. */
  | { readonly kind: "leave" }
  /** The run of this process is to go on in the background. */
  | { readonly kind: "detach" }
  | { readonly kind: "suspend" };

/** What a key comes to. */
export interface Pressed {
  readonly view: ViewState;
  readonly effect?: LiveEffect;
}

/** What a key is pressed in front of. */
export interface Scene {
  readonly rows: readonly PlacedRow[];
  readonly nowMs: number;
}

/** How long a row that was selected by itself takes no decision. */
export const ARMING_MS = 500;

/** What a key does to the view and asks for. Pure; a key that means nothing changes nothing. */
export function pressKey(shown: ViewState, key: Key, scene: Scene): Pressed {
  const view = shown.notice === undefined ? shown : { ...shown, notice: undefined };
  if (key.kind === "named" && key.name === "interrupt")
    return view.isGuest
      ? { view, effect: { kind: "leave" } }
      : { view: { ...view, isStopping: true }, effect: { kind: "interrupt" } };
  if (key.kind === "named" && key.name === "suspend") return { view, effect: { kind: "suspend" } };
  if (view.editor !== undefined) return pressInEditor(view, key, scene);
  if (view.search !== undefined) return { view: pressInSearch(view, key, scene) };
  // Nobody decides by pasting, nor by a burst of characters that was typed for another program.
  if (key.kind === "paste") return { view };
  if (view.isHelpShown) return { view: { ...view, isHelpShown: false } };
  return key.kind === "named"
    ? pressNamed(view, key.name, scene)
    : pressLetter(view, key.text, scene);
}

/** The row that keys are about; none when it is gone. */
export function selectedRow(
  { selection }: ViewState,
  rows: readonly PlacedRow[],
): PlacedRow | undefined {
  return selection.status === "on" ? rows.find(({ id }) => id === selection.id) : undefined;
}

/** The view with this row selected, by a person or by itself. */
export function select(view: ViewState, id: string, armedAtMs: number): ViewState {
  return { ...view, selection: { status: "on", id, armedAtMs } };
}

function pressNamed(view: ViewState, name: KeyName, scene: Scene): Pressed {
  switch (name) {
    case "up":
      return { view: step(view, -1, scene) };
    case "down":
      return { view: step(view, 1, scene) };
    case "page-up":
      return { view: step(view, -PAGE_ROWS, scene) };
    case "page-down":
      return { view: step(view, PAGE_ROWS, scene) };
    case "home":
      return { view: step(view, -Infinity, scene) };
    case "end":
      return { view: step(view, Infinity, scene) };
    case "enter":
      return pressEnter(view, scene);
    case "escape":
      return {
        view: view.isPeeking
          ? { ...view, isPeeking: false }
          : { ...view, selection: { status: "none" } },
      };
    default:
      return { view };
  }
}

function pressLetter(view: ViewState, text: string, scene: Scene): Pressed {
  switch (text) {
    case "k":
      return { view: step(view, -1, scene) };
    case "j":
      return { view: step(view, 1, scene) };
    case "/":
      return { view: { ...view, search: "" } };
    case "n":
      return { view: searchNext(view, scene) };
    case "a":
      return decide(view, "yes", scene);
    case "w":
      return decide(view, "always", scene);
    case "c":
      return decide(view, "comment", scene);
    case "r":
      return decide(view, "no", scene);
    case "e":
      return edit(view, scene);
    case "m":
      return { view: writeMessage(view, scene) };
    case "g":
      return { view: { ...view, layout: view.layout === "list" ? "tree" : "list" } };
    case "d":
      return detach(view, scene);
    case "p":
      return { view: { ...view, isStopping: !view.isGuest }, effect: { kind: "pause" } };
    case "?":
      return { view: { ...view, isHelpShown: true } };
    default:
      return { view };
  }
}

function detach(view: ViewState, { nowMs }: Scene): Pressed {
  if (view.isGuest) return { view, effect: { kind: "leave" } };
  if (view.staysBecause !== undefined) return { view: withNotice(view, view.staysBecause, nowMs) };
  return { view: { ...view, isStopping: true }, effect: { kind: "detach" } };
}

/** How far a page goes, whatever fits: what was seen last is still to be seen. */
const PAGE_ROWS = 10;

/** From a row to another one; without one before, to the first or, for the end, to the last. */
function step(view: ViewState, by: number, { rows }: Scene): ViewState {
  const { selection } = view;
  const place =
    selection.status === "on" ? rows.findIndex(({ id }) => id === selection.id) : undefined;
  const isFresh = place === undefined || place < 0;
  const next = isFresh && by !== Infinity ? 0 : (place ?? 0) + by;
  const row = rows[Math.min(Math.max(0, next), rows.length - 1)];
  return row === undefined ? view : select(view, row.id, 0);
}

function pressEnter(view: ViewState, scene: Scene): Pressed {
  const { item } = selectedRow(view, scene.rows) ?? {};
  if (view.selection.status !== "on") return { view: selectFirstItem(view, scene) };
  if (item?.kind !== "question") return { view: { ...view, isPeeking: !view.isPeeking } };
  return { view: isArmed(view, scene) ? withDraft(view, { kind: "answer", item }) : view };
}

function decide(view: ViewState, verdict: ItemVerdict | "comment", scene: Scene): Pressed {
  if (view.selection.status !== "on") return { view: selectFirstItem(view, scene) };
  const { item } = selectedRow(view, scene.rows) ?? {};
  if (item === undefined)
    return { view: withNotice(view, "nothing is to be decided in this row", scene.nowMs) };
  if (!isArmed(view, scene)) return { view };
  if (item.kind === "question") return { view: withDraft(view, { kind: "answer", item }) };
  if (verdict === "always" && item.kind !== "permission")
    return { view: withNotice(view, "only a permission is given for the run", scene.nowMs) };
  if (verdict === "no") return { view: withDraft(view, { kind: "reject", item }) };
  if (verdict === "comment") return { view: withDraft(view, { kind: "approve", item }) };
  return { view, effect: { kind: "decide", item, verdict, comment: "" } };
}

function edit(view: ViewState, scene: Scene): Pressed {
  const { item } = selectedRow(view, scene.rows) ?? {};
  if (item === undefined || !isEditable(item))
    return { view: withNotice(view, "nothing is to be edited in this row", scene.nowMs) };
  return isArmed(view, scene) ? { view, effect: { kind: "edit", item } } : { view };
}

/** A decision without a selected row only selects: nobody decides on what was not pointed at. */
function selectFirstItem(view: ViewState, { rows, nowMs }: Scene): ViewState {
  const first = rows.find(({ item }) => item !== undefined);
  return first === undefined ? view : select(view, first.id, nowMs + ARMING_MS);
}

function isArmed({ selection }: ViewState, { nowMs }: Scene): boolean {
  return selection.status === "on" && nowMs >= selection.armedAtMs;
}

function writeMessage(view: ViewState, { rows, nowMs }: Scene): ViewState {
  const agent = selectedRow(view, rows)?.agent;
  if (agent === undefined)
    return withNotice(view, "select a row with an agent first, then m", nowMs);
  return withDraft(view, { kind: "message", agent });
}

function pressInEditor(view: ViewState, key: Key, { nowMs }: Scene): Pressed {
  const { editor } = view;
  if (editor === undefined) return { view };
  if (key.kind === "named" && key.name === "escape")
    return { view: { ...view, editor: undefined } };
  if (key.kind !== "named" || key.name !== "enter")
    return { view: { ...view, editor: { ...editor, draft: editDraft(editor.draft, key) } } };
  const text = draftText(editor.draft).trim();
  if (text === "")
    return { view: withNotice(view, `${wordFor(editor.purpose)} needs a text`, nowMs) };
  return { view: { ...view, editor: undefined }, effect: toEffect(editor.purpose, text) };
}

function toEffect(purpose: Purpose, text: string): LiveEffect {
  switch (purpose.kind) {
    case "answer":
      return { kind: "answer", item: purpose.item, text };
    case "approve":
      return { kind: "decide", item: purpose.item, verdict: "yes", comment: text };
    case "reject":
      return { kind: "decide", item: purpose.item, verdict: "no", comment: text };
    case "message":
      return { kind: "send", agent: purpose.agent, text };
  }
}

function wordFor({ kind }: Purpose): string {
  const words = {
    answer: "an answer",
    approve: "a comment",
    reject: "a rejection",
    message: "a message",
  };
  return words[kind];
}
