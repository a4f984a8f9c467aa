import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import type { Layout } from "./live-row.ts";
import { EMPTY_DRAFT, editDraft, type TextDraft } from "./text-draft.ts";

/** What a text in the making is for. The item is held by its id: rows may move, the text stays with it. */
export type Purpose =
  | { readonly kind: "answer" | "approve" | "reject"; readonly item: InboxItem }
  | { readonly kind: "message"; readonly agent: string };

/** The row that keys are about. */
export type Selection =
  /** None yet: the first thing that is asked for gets it. */
  | { readonly status: "none" }
  /** Decisions count from `armedAtMs` on: nobody decides on what came under the finger a moment ago. */
  | { readonly status: "on"; readonly id: string; readonly armedAtMs: number }
  /** What was selected is gone; a person has to choose anew. */
  | { readonly status: "lost" };

/** What the picture shows beside the run itself; moved by keys. */
export interface ViewState {
  /** Whether another process carries the run out: whoever leaves the view leaves the run alone. */
  readonly isGuest: boolean;
  /** Why the run cannot go on without this process; undefined when it can. Means nothing to a guest. */
  readonly staysBecause: string | undefined;
  readonly layout: Layout;
  readonly selection: Selection;
  readonly isPeeking: boolean;
  readonly isHelpShown: boolean;
  /** What is sought in the rows while it is typed; undefined else. */
  readonly search: string | undefined;
  /** What was sought last; empty before. */
  readonly sought: string;
  readonly editor: { readonly purpose: Purpose; readonly draft: TextDraft } | undefined;
  /** Something to know, for a while or until the next key. */
  readonly notice: { readonly text: string; readonly untilMs: number } | undefined;
  /** Whether the run is being let go. */
  readonly isStopping: boolean;
}

export const INITIAL_VIEW: ViewState = {
  isGuest: false,
  staysBecause: undefined,
  layout: "list",
  selection: { status: "none" },
  isPeeking: false,
  isHelpShown: false,
  search: undefined,
  sought: "",
  editor: undefined,
  notice: undefined,
  isStopping: false,
};

const NOTICE_MS = 15_000;

/** The view with something to know. */
export function withNotice(view: ViewState, text: string, nowMs: number): ViewState {
  return { ...view, notice: { text, untilMs: nowMs + NOTICE_MS } };
}

/** The view with a text in the making. */
export function withDraft(view: ViewState, purpose: Purpose, text: string = ""): ViewState {
  const draft = editDraft(EMPTY_DRAFT, { kind: "paste", text });
  return { ...view, isPeeking: false, editor: { purpose, draft } };
}
