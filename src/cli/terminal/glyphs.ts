/** The signs of the views. Each stands beside a word, so that nothing depends on seeing it. */
export interface Glyphs {
  readonly done: string;
  readonly failed: string;
  readonly attention: string;
  readonly working: string;
  readonly paused: string;
  readonly skipped: string;
  readonly retry: string;
  readonly edit: string;
  readonly arrow: string;
  /** In front of how often something was done. */
  readonly times: string;
  /** Between the parts of a line. */
  readonly dot: string;
  readonly ellipsis: string;
}

/** For terminals and files that hold Unicode. */
export const UNICODE_GLYPHS: Glyphs = {
  done: "✔",
  failed: "✖",
  attention: "▲",
  working: "●",
  paused: "⏸",
  skipped: "○",
  retry: "↻",
  edit: "✎",
  arrow: "→",
  times: "×",
  dot: "·",
  ellipsis: "…",
};

/** For terminals that show ASCII only. */
export const ASCII_GLYPHS: Glyphs = {
  done: "+",
  failed: "x",
  attention: "!",
  working: "*",
  paused: "=",
  skipped: "o",
  retry: "~",
  edit: "w",
  arrow: "->",
  times: "x",
  dot: "|",
  ellipsis: "...",
};
