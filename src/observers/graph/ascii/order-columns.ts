import type { Box, Columns, Wire } from "./columns.ts";

const SWEEPS = 8;

/** Orders the boxes of every column so that no wires cross; false when no such order was found. */
export function orderColumns({ boxes, channels }: Columns): boolean {
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    if (channels.every(isPlain)) return true;
    if (sweep % 2 === 0) sweepForward(boxes, channels);
    else sweepBack(boxes, channels);
  }
  return channels.every(isPlain);
}

/** Orders wires as they leave their sources, from the top down. */
export function compareWires(left: Wire, right: Wire): number {
  return left.from.index - right.from.index || left.to.index - right.to.index;
}

function sweepForward(boxes: readonly Box[][], channels: readonly Wire[][]): void {
  for (const [index, channel] of channels.entries()) {
    const wires = Map.groupBy(channel, ({ to }) => to);
    reorder(boxes[index + 1] ?? [], (box) => wires.get(box)?.map(({ from }) => from.index) ?? []);
  }
}

function sweepBack(boxes: readonly Box[][], channels: readonly Wire[][]): void {
  for (let index = channels.length - 1; index >= 0; index -= 1) {
    const wires = Map.groupBy(channels[index] ?? [], ({ from }) => from);
    reorder(boxes[index] ?? [], (box) => wires.get(box)?.map(({ to }) => to.index) ?? []);
  }
}

/** Each box goes where its neighbours are on average; those without any stay where they are. */
function reorder(column: Box[], neighbours: (box: Box) => readonly number[]): void {
  const wanted = new Map(column.map((box) => [box, mean(neighbours(box)) ?? box.index]));
  column.sort((left, right) => (wanted.get(left) ?? 0) - (wanted.get(right) ?? 0));
  for (const [index, box] of column.entries()) box.index = index;
}

function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function isPlain(channel: readonly Wire[]): boolean {
  const sorted = channel.toSorted(compareWires);
  return sorted.every((wire, index) => {
    const before = sorted[index - 1];
    return before === undefined || before.to.index <= wire.to.index;
  });
}
