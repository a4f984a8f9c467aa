/** Directions in which lines leave a cell; a cell has their sum. */
export const LEFT = 1;
export const RIGHT = 2;
export const UP = 4;
export const DOWN = 8;

/** What lines are drawn with. */
export interface LineSigns {
  /** By the sum of directions, from none to all four. */
  readonly cells: string;
  readonly arrow: string;
}

/** For terminals and files that hold Unicode. */
export const UNICODE_LINES: LineSigns = { cells: " ───│┘└┴│┐┌┬│┤├┼", arrow: "▶" };

/** For terminals that show ASCII only. */
export const ASCII_LINES: LineSigns = { cells: " ---|+++|+++|+++", arrow: ">" };
