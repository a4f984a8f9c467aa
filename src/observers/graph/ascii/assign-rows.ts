import { compareWires } from "../../../foundation/graph-layers.ts";
import type { Box, Columns, Wire } from "./columns.ts";

/**
 * Gives every box and wire the highest row in which no two lines share a cell: whatever belongs to a box
 * lies below all that belongs to the box above it. Wires must not cross. False when there are no such rows.
 */
export function assignRows({ boxes, channels }: Columns): boolean {
  const sorted = channels.map((channel) => channel.toSorted(compareWires));
  const things = boxes.flat().length + channels.flat().length;
  // Rows only grow, so a pass that changes nothing is the last; more passes than things means a circle.
  for (let pass = 0; pass <= things; pass += 1) {
    let hasChanged = false;
    const raise = (thing: { row: number }, row: number) => {
      if (thing.row >= row) return;
      thing.row = row;
      hasChanged = true;
    };
    for (const [index, channel] of sorted.entries()) {
      const leaving = Map.groupBy(channel, ({ from }) => from);
      const arriving = Map.groupBy(channel, ({ to }) => to);
      for (const wire of channel) raise(wire, straightRow(wire, { leaving, arriving }));
      separate(boxes[index] ?? [], leaving, raise);
      separate(boxes[index + 1] ?? [], arriving, raise);
    }
    if (!hasChanged) return true;
  }
  return false;
}

interface Neighbours {
  readonly leaving: ReadonlyMap<Box, readonly Wire[]>;
  readonly arriving: ReadonlyMap<Box, readonly Wire[]>;
}

/** The row at least in which a wire bends least: that of the end which has no other wire. */
function straightRow({ from, to }: Wire, { leaving, arriving }: Neighbours): number {
  const isOnlyLeaving = leaving.get(from)?.length === 1;
  const isOnlyArriving = arriving.get(to)?.length === 1;
  if (isOnlyLeaving === isOnlyArriving) return Math.min(from.row, to.row);
  return isOnlyLeaving ? from.row : to.row;
}

/** Puts each box with its wires below the one before, and its wires below each other. */
function separate(
  column: readonly Box[],
  wiresOf: ReadonlyMap<Box, readonly Wire[]>,
  raise: (thing: { row: number }, row: number) => void,
): void {
  let free = 0;
  for (const box of column) {
    raise(box, free);
    let last = box.row;
    let next = free;
    for (const wire of wiresOf.get(box) ?? []) {
      raise(wire, next);
      next = wire.row + 1;
      last = Math.max(last, wire.row);
    }
    free = last + 1;
  }
}
