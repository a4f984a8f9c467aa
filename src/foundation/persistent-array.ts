const BITS = 5;
const WIDTH = 1 << BITS;
const MASK = WIDTH - 1;

type Slots = readonly unknown[];

/**
 * A sparse array that is never changed: `with` makes another one that shares all but a few slots, in time
 * logarithmic in the largest index.
 */
export class PersistentArray<Value> {
  readonly #root: Slots;
  readonly #depth: number;

  private constructor(root: Slots, depth: number) {
    this.#root = root;
    this.#depth = depth;
  }

  /** One without values. */
  static empty<Value>(): PersistentArray<Value> {
    return new PersistentArray<Value>([], 0);
  }

  /** The value at an index of 0 or more; undefined where there is none. */
  at(index: number): Value | undefined {
    if (index >= WIDTH ** (this.#depth + 1)) return undefined;
    let slots: Slots | undefined = this.#root;
    for (let level = this.#depth; level > 0 && slots !== undefined; level -= 1) {
      const next: unknown = slots[(index >>> (level * BITS)) & MASK];
      slots = Array.isArray(next) ? next : undefined;
    }
    const value: unknown = slots?.[index & MASK];
    assertValue<Value>(value);
    return value;
  }

  /** The same array with another value at an index; undefined takes the value away. */
  with(index: number, value: Value | undefined): PersistentArray<Value> {
    let root = this.#root;
    let depth = this.#depth;
    while (index >= WIDTH ** (depth + 1)) {
      root = [root];
      depth += 1;
    }
    return new PersistentArray<Value>(place(root, { depth, index, value }), depth);
  }
}

interface Placing {
  readonly depth: number;
  readonly index: number;
  readonly value: unknown;
}

function place(slots: Slots, { depth, index, value }: Placing): Slots {
  const copy = slots.slice();
  const position = (index >>> (depth * BITS)) & MASK;
  if (depth === 0) {
    copy[position] = value;
    return copy;
  }
  const below: unknown = copy[position];
  copy[position] = place(Array.isArray(below) ? below : [], { depth: depth - 1, index, value });
  return copy;
}

/** Only values that `with` took are ever in the lowest slots. */
function assertValue<Value>(_value: unknown): asserts _value is Value | undefined {}
