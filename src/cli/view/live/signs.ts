import { ASCII_GLYPHS, type Glyphs } from "../../terminal/glyphs.ts";

/** What the live view draws with beside the glyphs of all views. */
export interface Signs {
  readonly spinner: readonly string[];
  /** Repeated over the whole width. */
  readonly rule: string;
  readonly selected: string;
  readonly waiting: string;
  /** Where the next typed character goes. */
  readonly cursor: string;
  /** At the left of a pane. */
  readonly border: string;
  /** In a tree: a branch, the last one, and what passes by or not. */
  readonly branch: string;
  readonly lastBranch: string;
  readonly trunk: string;
  readonly gap: string;
  /** Names of keys. */
  readonly arrows: string;
  readonly enter: string;
}

const UNICODE_SIGNS: Signs = {
  spinner: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
  rule: "─",
  selected: "▸",
  waiting: "·",
  cursor: "▏",
  border: "│",
  branch: "├ ",
  lastBranch: "└ ",
  trunk: "│ ",
  gap: "  ",
  arrows: "↑↓",
  enter: "⏎",
};

const ASCII_SIGNS: Signs = {
  spinner: ["|", "/", "-", "\\"],
  rule: "-",
  selected: ">",
  waiting: ".",
  cursor: "_",
  border: "|",
  branch: "+ ",
  lastBranch: "+ ",
  trunk: "| ",
  gap: "  ",
  arrows: "up/down",
  enter: "enter",
};

/** The signs that go with the glyphs. */
export function signsFor(glyphs: Glyphs): Signs {
  return glyphs === ASCII_GLYPHS ? ASCII_SIGNS : UNICODE_SIGNS;
}
