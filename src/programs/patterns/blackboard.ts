import { isOnBoard } from "../talk/board.ts";
import type { RoundKind } from "../talk/rounds.ts";
import { blackboardConvention } from "./conventions/blackboard-convention.ts";

/** Most that a turn is shown of the board; what stands at its end is the newest. */
const MAX_BOARD_CHARS = 262_144;

/** Experts build a solution on a document that all share, in rounds, until each is done or nobody writes any more. */
export const blackboardKind: RoundKind = {
  name: "blackboard",
  summary: "Experts build a solution together on a document that all share",
  convention: blackboardConvention,
  isNews: isOnBoard,
  blocks: ({ text, revision }) =>
    revision === 0 ? [] : [{ label: `the board, revision ${revision}`, text: newestOf(text) }],
};

function newestOf(text: string): string {
  return text.length > MAX_BOARD_CHARS
    ? `(its beginning is cut here)… ${text.slice(-MAX_BOARD_CHARS).toWellFormed()}`
    : text;
}
