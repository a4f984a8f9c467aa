import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import { isEditable } from "../../fold/waiting.ts";
import type { ItemVerdict } from "../view/live/press-key.ts";

/** What is asked of the person about one item. */
export type PromptStage =
  | { readonly kind: "asked" }
  /** Why she rejects it. */
  | { readonly kind: "reason" }
  /** What she says with her approval. */
  | { readonly kind: "comment" }
  /** An answer of several lines, up to one that holds a dot alone. */
  | { readonly kind: "lines"; readonly lines: readonly string[] };

/** The item that a line is about, and what was asked of it. */
export interface PromptedItem {
  readonly item: InboxItem;
  readonly stage: PromptStage;
}

/** What a typed line means. */
export type PromptReading =
  | { readonly kind: "decide"; readonly command: RunCommand }
  | { readonly kind: "stage"; readonly stage: PromptStage }
  | { readonly kind: "choose"; readonly number: number | "next" }
  | { readonly kind: "edit" | "skip" | "view" | "list" | "nothing" }
  | { readonly kind: "help"; readonly lines: readonly string[] };

const WORDS: ReadonlyMap<
  string,
  "approve" | "always" | "comment" | "edit" | "reject" | "next" | "skip" | "view" | "list" | "help"
> = new Map([
  ["a", "approve"],
  ["approve", "approve"],
  ["y", "approve"],
  ["yes", "approve"],
  ["w", "always"],
  ["always", "always"],
  ["c", "comment"],
  ["comment", "comment"],
  ["e", "edit"],
  ["edit", "edit"],
  ["r", "reject"],
  ["reject", "reject"],
  ["no", "reject"],
  ["n", "next"],
  ["next", "next"],
  ["s", "skip"],
  ["skip", "skip"],
  ["v", "view"],
  ["view", "view"],
  ["l", "list"],
  ["list", "list"],
  ["?", "help"],
  ["h", "help"],
  ["help", "help"],
]);

const ALWAYS_HELP = "w  approve, and the same of this agent for the rest of the run";

const LINES_END = ".";

/**
 * Reads a line. Where a text is asked for, it is the text, and only a word behind a slash is an order; so
 * nothing that answers a question can be taken for an order, nor the other way round.
 */
export function readPromptLine(line: string, prompted: PromptedItem | undefined): PromptReading {
  if (prompted?.stage.kind === "lines") return readLines(line, prompted);
  const text = line.trim();
  if (prompted?.stage.kind === "reason") return decide(prompted.item, "no", text);
  if (prompted?.stage.kind === "comment") return decide(prompted.item, "yes", text);
  const isAnswer = prompted?.item.kind === "question" && !text.startsWith("/");
  if (isAnswer) return text === "" ? { kind: "nothing" } : answer(prompted.item, text);
  const order = text.replace(/^\//u, "").toLowerCase();
  return readOrder(order, prompted) ?? otherText(text, prompted);
}

function readOrder(order: string, prompted: PromptedItem | undefined): PromptReading | undefined {
  if (/^\d{1,6}$/u.test(order)) return { kind: "choose", number: Number(order) };
  const item = prompted?.item;
  if (order === "m" && item?.kind === "question")
    return { kind: "stage", stage: { kind: "lines", lines: [] } };
  const word = WORDS.get(order);
  switch (word) {
    case "next":
      return { kind: "choose", number: "next" };
    case "skip":
    case "view":
    case "list":
      return { kind: word };
    case "help":
      return { kind: "help", lines: helpLines(item) };
    case "approve":
      return item === undefined || item.kind === "question" ? undefined : decide(item, "yes", "");
    case "always":
      return item?.kind === "permission" ? decide(item, "always", "") : undefined;
    case "comment":
      return item === undefined || item.kind === "question"
        ? undefined
        : { kind: "stage", stage: { kind: "comment" } };
    case "edit":
      return isEditable(item) ? { kind: "edit" } : undefined;
    case "reject":
      return item === undefined || item.kind === "question"
        ? undefined
        : { kind: "stage", stage: { kind: "reason" } };
    case undefined:
      return undefined;
  }
}

/** An answer may start with a slash, as a path does. */
function otherText(text: string, prompted: PromptedItem | undefined): PromptReading {
  return prompted?.item.kind === "question" ? answer(prompted.item, text) : { kind: "nothing" };
}

function readLines(line: string, { item, stage }: PromptedItem): PromptReading {
  const lines = stage.kind === "lines" ? stage.lines : [];
  if (line.trim() !== LINES_END)
    return { kind: "stage", stage: { kind: "lines", lines: [...lines, line] } };
  const text = lines.join("\n").trim();
  return text === "" ? { kind: "stage", stage: { kind: "asked" } } : answer(item, text);
}

/** What a person can type about an item, in front of the cursor. */
export function choicesFor(item: InboxItem): string {
  if (item.kind === "question") return "";
  const more = item.kind === "approval" ? ["[c]omment"] : ["al[w]ays"];
  const edit = isEditable(item) ? ["[e]dit"] : [];
  return `${["[a]pprove", "[r]eject", ...more, ...edit].join("  ")} `;
}

function answer(item: InboxItem, text: string): PromptReading {
  return { kind: "decide", command: { kind: "answer-question", id: item.id, answer: text } };
}

function decide(item: InboxItem, verdict: ItemVerdict, comment: string): PromptReading {
  const why = comment === "" ? {} : { comment };
  const { id } = item;
  switch (item.kind) {
    case "approval": {
      const decision = verdict === "yes" ? "approved" : "rejected";
      const { hash } = item;
      return {
        kind: "decide",
        command: { kind: "resolve-approval", approval: id, decision, hash, ...why },
      };
    }
    case "permission": {
      const decision = verdict === "no" ? "denied" : "allowed";
      const granted = verdict === "always" ? { always: true as const } : {};
      const command = { kind: "resolve-permission", id, decision, ...granted, ...why } as const;
      return { kind: "decide", command };
    }
    case "question":
      return { kind: "nothing" };
  }
}

function helpLines(item: InboxItem | undefined): readonly string[] {
  const slash = item?.kind === "question" ? "/" : "";
  return [
    ...(item?.kind === "question"
      ? ["TEXT answers", "/m  an answer of several lines, ended by a line with a dot alone"]
      : []),
    ...(item === undefined || item.kind === "question"
      ? []
      : [
          "a  approve",
          ...(item.kind === "permission" ? [ALWAYS_HELP] : []),
          "c  approve with a comment",
          ...(isEditable(item) ? ["e  edit what is approved, then approve it"] : []),
          "r  reject; the reason is asked for",
        ]),
    `${slash}v  view all of it`,
    `${slash}n  next        ${slash}2  number 2        ${slash}l  list`,
    `${slash}s  put off; it goes on waiting`,
  ];
}
