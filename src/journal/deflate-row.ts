// Owns how the small row of a commit is deflated (RFC 1951).
// Node makes a stream for each text that it deflates, which takes longer than all that a commit does besides its sync.
// One block with the fixed codes of the format needs none. What comes out is a fifth larger than with codes of its own,
// and whatever inflates reads it.

const MIN_MATCH = 4;
const MAX_MATCH = 258;
const SLOT_BITS = 12;
// Spreads four bytes over the slots (Knuth's multiplicative hash: 2 ** 32 by the golden ratio).
const SPREAD = 0x9e3779b1;
const NONE = -1;
const LAST_BLOCK_FIXED_CODES = 0b011;
const END_OF_BLOCK = 256;
const FIRST_LENGTH = 257;
const LONGEST = 285;
const DISTANCE_BITS = 5;
const SYMBOLS = 288;
// A byte takes nine bits at most, and the block itself less than this.
const BLOCK_BYTES = 16;

const FIXED_CODES = [
  { first: 0, last: 143, code: 0b00110000, size: 8 },
  { first: 144, last: 255, code: 0b110010000, size: 9 },
  { first: 256, last: 279, code: 0, size: 7 },
  { first: 280, last: 287, code: 0b11000000, size: 8 },
];

const { codes, sizes } = fixedCodes();
/** Where four bytes stood last, by their slot. */
const lastPlaces = new Int32Array(1 << SLOT_BITS);

// What is being written: one text at a time, without a call in between that could begin another.
let output: Buffer = Buffer.allocUnsafeSlow(0);
let length = 0;
let held = 0;
let heldBits = 0;

/** Deflates a text of at most 32 KiB in UTF-8; `inflateRaw` gives it back. */
export function deflateRow(text: string): Uint8Array {
  const input = Buffer.from(text);
  begin(2 * input.length + BLOCK_BYTES);
  put(LAST_BLOCK_FIXED_CODES, 3);
  lastPlaces.fill(NONE);
  for (let at = 0; at < input.length; ) {
    const before = at + MIN_MATCH <= input.length ? takePlace(input, at) : NONE;
    const matched = before === NONE ? 0 : matchLength(input, before, at);
    if (matched < MIN_MATCH) {
      putSymbol(input[at] ?? 0);
      at += 1;
    } else {
      putLength(matched);
      putDistance(at - before);
      at += matched;
    }
  }
  putSymbol(END_OF_BLOCK);
  // Fills up the last byte.
  put(0, 7);
  return new Uint8Array(output.subarray(0, length));
}

/** Where these four bytes stood last; from now on that is here. */
function takePlace(input: Buffer, at: number): number {
  const four = pairAt(input, at) | (pairAt(input, at + 2) << 16);
  const slot = Math.imul(four, SPREAD) >>> (32 - SLOT_BITS);
  const before = lastPlaces[slot] ?? NONE;
  lastPlaces[slot] = at;
  return before;
}

/** Two bytes as a number: what Buffer has for it is slow before it is compiled. */
function pairAt(input: Buffer, at: number): number {
  return (input[at] ?? 0) | ((input[at + 1] ?? 0) << 8);
}

function matchLength(input: Buffer, before: number, at: number): number {
  const most = Math.min(MAX_MATCH, input.length - at);
  let matched = 0;
  while (matched < most && input[before + matched] === input[at + matched]) matched += 1;
  return matched;
}

/** Its upper three bits choose the symbol, the others follow it; the longest has a symbol of its own (3.2.5). */
function putLength(matched: number): void {
  const rest = matched - 3;
  const extra = matched === MAX_MATCH ? 0 : Math.max(0, 29 - Math.clz32(rest));
  const symbol = matched === MAX_MATCH ? LONGEST : FIRST_LENGTH + 4 * extra + (rest >> extra);
  putSymbol(symbol);
  put(rest & ((1 << extra) - 1), extra);
}

/** The same with two bits, whose code is the number itself. */
function putDistance(distance: number): void {
  const rest = distance - 1;
  const extra = Math.max(0, 30 - Math.clz32(rest));
  put(reversed(2 * extra + (rest >> extra), DISTANCE_BITS), DISTANCE_BITS);
  put(rest & ((1 << extra) - 1), extra);
}

function begin(mostBytes: number): void {
  if (output.length < mostBytes) output = Buffer.allocUnsafeSlow(mostBytes);
  length = 0;
  held = 0;
  heldBits = 0;
}

function putSymbol(symbol: number): void {
  put(codes[symbol] ?? 0, sizes[symbol] ?? 0);
}

/** Adds bits, the lowest first. */
function put(value: number, bits: number): void {
  held |= value << heldBits;
  heldBits += bits;
  for (; heldBits >= 8; heldBits -= 8) {
    output[length] = held;
    length += 1;
    held >>>= 8;
  }
}

/** The codes of 3.2.6, as they are written: from their other end. */
function fixedCodes(): { readonly codes: Uint16Array; readonly sizes: Uint8Array } {
  const codes = new Uint16Array(SYMBOLS);
  const sizes = new Uint8Array(SYMBOLS);
  for (const { first, last, code, size } of FIXED_CODES)
    for (let symbol = first; symbol <= last; symbol += 1) {
      codes[symbol] = reversed(code + symbol - first, size);
      sizes[symbol] = size;
    }
  return { codes, sizes };
}

function reversed(code: number, size: number): number {
  let turned = 0;
  for (let bit = 0; bit < size; bit += 1) turned |= ((code >> bit) & 1) << (size - 1 - bit);
  return turned;
}
