/**
 * Finds many texts in one pass (Aho and Corasick): what a character costs does not depend on how many texts there
 * are, how long they are, or what is read.
 * A1: a state is the longest end of what was read with which one of the texts begins.
 * A2: states along a text are numbered one after the other, so that most steps need no table.
 */
export interface TextAutomaton {
  /** The state after one more UTF-16 unit; 0 at the beginning. */
  step(state: number, unit: number): number;
  /** How much of what was read last may be the beginning of a text. */
  depth(state: number): number;
  /** Length of the longest text that ends here; 0 when none does. */
  found(state: number): number;
}

const ROOT = 0;
const UNITS = 65_536;

/** An automaton of texts that are not empty. Takes some 30 bytes for each of their characters. */
export function createTextAutomaton(texts: readonly string[]): TextAutomaton {
  const trie = createTrie(texts);
  const { depths, ends, child } = trie;
  const fails = new Int32Array(trie.size);
  const advance = (from: number, unit: number) => {
    let state = from;
    for (;;) {
      const next = child(state, unit);
      if (next !== ROOT || state === ROOT) return next;
      state = at(fails, state);
    }
  };
  for (const state of byDepth(trie)) {
    const parent = at(trie.parents, state);
    const fail = parent === ROOT ? ROOT : advance(at(fails, parent), at(trie.units, state));
    fails[state] = fail;
    if (at(ends, state) === 0) ends[state] = at(ends, fail);
  }
  return { step: advance, depth: (state) => at(depths, state), found: (state) => at(ends, state) };
}

interface Trie {
  readonly size: number;
  readonly depths: Int32Array;
  /** Length of the text that ends in a state. */
  readonly ends: Int32Array;
  readonly parents: Int32Array;
  /** By which unit a state is reached. */
  readonly units: Uint16Array;
  /** The state after a unit; that of the root where there is none. */
  child(state: number, unit: number): number;
}

function createTrie(texts: readonly string[]): Trie {
  const most = texts.reduce((sum, text) => sum + text.length, 1);
  const arrays = () => new Int32Array(most);
  const [depths, ends, parents, units] = [arrays(), arrays(), arrays(), new Uint16Array(most)];
  const first = new Int32Array(UNITS);
  const others = createEdges();
  let size = 1;
  const child = (state: number, unit: number) => {
    if (state === ROOT) return at(first, unit);
    const next = state + 1;
    if (next < size && at(parents, next) === state && at(units, next) === unit) return next;
    return others.find(state, unit);
  };
  const add = (parent: number, unit: number) => {
    const state = size;
    size += 1;
    depths[state] = at(depths, parent) + 1;
    parents[state] = parent;
    units[state] = unit;
    if (parent === ROOT) first[unit] = state;
    else if (state !== parent + 1) others.add(parent, unit, state);
    return state;
  };
  for (const text of texts) {
    let state = ROOT;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      state = child(state, unit) || add(state, unit);
    }
    ends[state] = text.length;
  }
  return { size, depths, ends, parents, units, child };
}

/** The states but the root, those that are reached with fewer units first. */
function byDepth({ size, depths }: Trie): Int32Array {
  const starts = new Int32Array(size + 1);
  for (let state = 1; state < size; state += 1) count(starts, at(depths, state) + 1);
  for (let depth = 1; depth <= size; depth += 1)
    starts[depth] = at(starts, depth) + at(starts, depth - 1);
  const order = new Int32Array(size - 1);
  for (let state = 1; state < size; state += 1) order[count(starts, at(depths, state))] = state;
  return order;
}

/** Adds one; what was there before. */
function count(counts: Int32Array, index: number): number {
  const before = at(counts, index);
  counts[index] = before + 1;
  return before;
}

/** Where texts part: a table of open addresses, since a Map of so large numbers is slow. */
function createEdges(): {
  add(state: number, unit: number, next: number): void;
  find(state: number, unit: number): number;
} {
  let mask = 255;
  let used = 0;
  let rows = new Int32Array((mask + 1) * 3);
  const slotOf = (state: number, unit: number) => {
    let slot = (Math.imul(state, 0x9e37_79b1) ^ Math.imul(unit, 0x85eb_ca6b)) >>> 8;
    for (;;) {
      slot &= mask;
      const row = slot * 3;
      if (at(rows, row + 2) === ROOT) return row;
      if (at(rows, row) === state && at(rows, row + 1) === unit) return row;
      slot += 1;
    }
  };
  const add = (state: number, unit: number, next: number) => {
    rows.set([state, unit, next], slotOf(state, unit));
    used += 1;
    if (used * 2 > mask) grow();
  };
  const grow = () => {
    const old = rows;
    mask = mask * 2 + 1;
    used = 0;
    rows = new Int32Array((mask + 1) * 3);
    for (let row = 0; row < old.length; row += 3)
      if (at(old, row + 2) !== ROOT) add(at(old, row), at(old, row + 1), at(old, row + 2));
  };
  return { add, find: (state, unit) => at(rows, slotOf(state, unit) + 2) };
}

function at(numbers: Int32Array | Uint16Array, index: number): number {
  return numbers[index] ?? 0;
}
