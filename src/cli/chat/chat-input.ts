import type { InboxItem } from "../../fold/state/inbox-state.ts";
import type { Key } from "../view/live/key.ts";
import type { ItemVerdict } from "../view/live/press-key.ts";
import { draftText, EMPTY_DRAFT, editDraft, type TextDraft } from "../view/live/text-draft.ts";

/** What a person is about to say, and what waits to be said. */
export interface ChatInput {
  readonly draft: TextDraft;
  /** What was said before, the newest last. */
  readonly history: readonly string[];
  /** Where in the history the draft is from; undefined: it is new. */
  readonly place: number | undefined;
  /** What is said as soon as the agent is free. */
  readonly queue: readonly string[];
  readonly notice: string;
  /** The key before, where pressing it twice means more. */
  readonly before: "escape" | "interrupt" | undefined;
}

/** What a key asks for. */
export type ChatEffect =
  | { readonly kind: "submit"; readonly text: string }
  | { readonly kind: "interrupt" }
  | { readonly kind: "leave" }
  | { readonly kind: "suspend" }
  | { readonly kind: "decide"; readonly item: InboxItem; readonly verdict: ItemVerdict };

/** What a key is pressed in. */
export interface ChatScene {
  /** What waits for the person; undefined: nothing. */
  readonly item: InboxItem | undefined;
  readonly isWorking: boolean;
}

/** Nothing said yet. */
export const EMPTY_INPUT: ChatInput = {
  ...{ draft: EMPTY_DRAFT, history: [], place: undefined, queue: [], notice: "" },
  before: undefined,
};

const VERDICTS: ReadonlyMap<string, ItemVerdict> = new Map([
  ["y", "yes"],
  ["n", "no"],
  ["w", "always"],
]);

/** What becomes of the input by a key, and what that asks for. */
export function pressChatKey(
  given: ChatInput,
  key: Key,
  scene: ChatScene,
): { readonly input: ChatInput; readonly effect?: ChatEffect } {
  const input = { ...given, notice: "", before: undefined };
  const isEmpty = draftText(given.draft) === "";
  if (key.kind === "named")
    switch (key.name) {
      case "enter":
        return submit(input);
      case "escape":
        return cutOff(given, scene);
      case "interrupt":
        return interrupt(given, isEmpty);
      case "suspend":
        return { input, effect: { kind: "suspend" } };
      case "end-of-input":
        return isEmpty ? { input, effect: { kind: "leave" } } : { input };
      case "up":
      case "down":
        return { input: recall(input, key.name) ?? edit(input, key) };
      default:
        return { input: edit(input, key) };
    }
  const verdict = key.kind === "text" && isEmpty ? verdictOf(key.text, scene.item) : undefined;
  if (verdict !== undefined) return { input, effect: verdict };
  return { input: edit(input, key) };
}

function edit(input: ChatInput, key: Key): ChatInput {
  return { ...input, draft: editDraft(input.draft, key) };
}

/** One key decides where nothing is written: a permission for the rest of the run, too. */
function verdictOf(text: string, item: InboxItem | undefined): ChatEffect | undefined {
  const verdict = VERDICTS.get(text);
  if (item === undefined || item.kind === "question" || verdict === undefined) return undefined;
  if (verdict === "always" && item.kind !== "permission") return undefined;
  return { kind: "decide", item, verdict };
}

function submit(input: ChatInput): ReturnType<typeof pressChatKey> {
  const text = draftText(input.draft).trim();
  if (text === "") return { input };
  const history = input.history.at(-1) === text ? input.history : [...input.history, text];
  const said = { ...input, draft: EMPTY_DRAFT, place: undefined, history };
  return { input: said, effect: { kind: "submit", text } };
}

/** Once cuts off what goes on, twice forgets what waits. */
function cutOff(given: ChatInput, { isWorking }: ChatScene): ReturnType<typeof pressChatKey> {
  const isTwice = given.before === "escape";
  const input: ChatInput = {
    ...given,
    before: isTwice ? undefined : "escape",
    queue: isTwice ? [] : given.queue,
    notice: isTwice && given.queue.length > 0 ? "what waited to be said is forgotten" : "",
  };
  return isTwice || !isWorking ? { input } : { input, effect: { kind: "interrupt" } };
}

/** Once forgets what is written, twice leaves. */
function interrupt(given: ChatInput, isEmpty: boolean): ReturnType<typeof pressChatKey> {
  if (given.before === "interrupt") return { input: given, effect: { kind: "leave" } };
  const notice = isEmpty ? "ctrl-c again leaves the chat" : "";
  return { input: { ...given, draft: EMPTY_DRAFT, place: undefined, before: "interrupt", notice } };
}

/** An earlier text in place of the draft, unless the cursor can move inside of it. */
function recall(input: ChatInput, way: "up" | "down"): ChatInput | undefined {
  const { draft, history, place } = input;
  if (draftText(draft).includes("\n") || history.length === 0) return undefined;
  const from = place ?? history.length;
  const to = way === "up" ? Math.max(0, from - 1) : from + 1;
  const text = history[to];
  if (way === "down" && place === undefined) return undefined;
  const characters = text === undefined ? EMPTY_DRAFT : { before: [...text], after: [] };
  return { ...input, draft: characters, place: text === undefined ? undefined : to };
}
