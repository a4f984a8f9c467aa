import type { Box, Columns, Wire } from "./columns.ts";

/** Directions in which lines leave a cell; a cell has their sum. */
const LEFT = 1;
const RIGHT = 2;
const UP = 4;
const DOWN = 8;

/** What lines are drawn with. */
interface LineSigns {
  /** By the sum of directions, from none to all four. */
  readonly cells: string;
  readonly arrow: string;
}

/** For terminals and files that hold Unicode. */
export const UNICODE_LINES: LineSigns = { cells: " ───│┘└┴│┐┌┬│┤├┼", arrow: "▶" };

/** For terminals that show ASCII only. */
export const ASCII_LINES: LineSigns = { cells: " ---|+++|+++|+++", arrow: ">" };

/** Part of a line of the drawing: the text of a node, or lines and blanks. */
export interface Piece {
  readonly text: string;
  /** The id of the node whose text this is. */
  readonly node?: string;
}

/** Draws columns whose boxes have rows. `widthOf` is the width of a node's text, `textOf` the text itself. */
export function drawColumns(
  { boxes, channels }: Columns,
  lines: LineSigns,
  node: { readonly textOf: (id: string) => string; readonly widthOf: (id: string) => number },
): readonly (readonly Piece[])[] {
  const rowCount = 1 + Math.max(...[...boxes.flat(), ...channels.flat()].map(({ row }) => row));
  const rows: Piece[][] = Array.from({ length: rowCount }, () => []);
  for (const [index, column] of boxes.entries()) {
    const widest = Math.max(
      ...column.map(({ kind, id }) => (kind === "node" ? node.widthOf(id) : 0)),
    );
    const inRow = new Map(column.map((box) => [box.row, box]));
    for (const [row, pieces] of rows.entries()) {
      const box = inRow.get(row);
      if (box?.kind === "node") {
        pieces.push({ text: node.textOf(box.id), node: box.id });
        pieces.push({ text: " ".repeat(widest - node.widthOf(box.id)) });
      } else pieces.push({ text: cell(lines, box === undefined ? 0 : LEFT).repeat(widest) });
    }
    const channel = channels[index];
    if (channel !== undefined) drawChannel(rows, { channel, lines, hasNodes: widest > 0 });
  }
  return rows;
}

interface Channel {
  readonly channel: readonly Wire[];
  readonly lines: LineSigns;
  /** Whether the column on the left shows nodes, from which lines keep a distance. */
  readonly hasNodes: boolean;
}

function drawChannel(rows: Piece[][], { channel, lines, hasNodes }: Channel): void {
  const sources = Map.groupBy(channel, ({ from }) => from);
  const targets = Map.groupBy(channel, ({ to }) => to);
  const fans = trunk(sources, { own: LEFT, others: RIGHT });
  const joins = trunk(targets, { own: RIGHT, others: LEFT });
  const leaving = new Map([...sources.keys()].map((box) => [box.row, box]));
  const arriving = new Map([...targets.keys()].map((box) => [box.row, box]));
  const line = cell(lines, LEFT);
  for (const [row, pieces] of rows.entries()) {
    const from = leaving.get(row);
    const lead = from === undefined ? " " : line;
    const gap = from?.kind === "pass" ? line : " ";
    const text = [
      hasNodes ? gap : "",
      lead,
      ...[fans, joins].map((cells) =>
        cells === undefined ? "" : cell(lines, cells.get(row) ?? 0),
      ),
      ending(arriving.get(row), targets, lines),
    ];
    pieces.push({ text: text.join("") });
  }
}

/** What stands before the column on the right: an arrow, a line that goes on, nothing before a junction. */
function ending(
  box: Box | undefined,
  targets: ReadonlyMap<Box, unknown>,
  { arrow, cells }: LineSigns,
): string {
  const leadsToJunctions = ![...targets.keys()].some(({ kind }) => kind === "node");
  if (leadsToJunctions) return "";
  if (box === undefined) return "  ";
  return box.kind === "node" ? `${arrow} ` : (cells[LEFT] ?? "").repeat(2);
}

/** Where a vertical line joins each box with its wires, by row; undefined when every wire runs straight on. */
function trunk(
  wiresOf: ReadonlyMap<Box, readonly Wire[]>,
  side: { readonly own: number; readonly others: number },
): ReadonlyMap<number, number> | undefined {
  const cells = new Map<number, number>();
  const add = (row: number, directions: number) =>
    cells.set(row, (cells.get(row) ?? 0) | directions);
  for (const [box, wires] of wiresOf) {
    const rows = [box.row, ...wires.map(({ row }) => row)];
    const [first, last] = [Math.min(...rows), Math.max(...rows)];
    for (let row = first; row < last; row += 1) {
      add(row, DOWN);
      add(row + 1, UP);
    }
    add(box.row, side.own);
    for (const wire of wires) add(wire.row, side.others);
  }
  const isStraight = [...cells.values()].every((directions) => directions === LEFT + RIGHT);
  return isStraight ? undefined : cells;
}

function cell({ cells }: LineSigns, directions: number): string {
  return cells[directions] ?? " ";
}
