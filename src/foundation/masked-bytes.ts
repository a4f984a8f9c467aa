import { createMaskedText } from "./masked-text.ts";
import type { TextAutomaton } from "./text-automaton.ts";

/** What a program prints, masked as it comes; secrets that are split between chunks are found. */
export interface MaskedBytes {
  /**
   * The masked output so far in parts, without an end that may be the start of a secret. Large parts share the memory of
   * the chunk: a copy would live until the next collection.
   */
  push(chunk: Buffer): readonly Buffer[];
  /** What was held back. */
  end(): Buffer;
}

/** Output in which there is nothing to mask. */
export const PLAIN_BYTES: MaskedBytes = {
  push: (chunk) => [chunk],
  end: () => Buffer.alloc(0),
};

// So much is read as a text until nothing is held back any more, or as much again where more is held: each reading
// goes over what is held too.
const PIECE_BYTES = 1024;

/**
 * Masks output with an automaton of secrets as bytes: each unit is one. Only what is near a secret becomes a text:
 * a text of each chunk would cost more than all else, in time and in memory.
 */
export function createMaskedBytes(automaton: TextAutomaton): MaskedBytes {
  const text = createMaskedText(automaton);
  const readAsText = (bytes: Buffer) => toBytes(text.push(bytes.toString("latin1")));
  const begins = Uint8Array.from({ length: 256 }, (_, byte) =>
    Math.min(1, automaton.step(0, byte)),
  );
  /** How many bytes at the end may begin a secret; undefined when there is a secret. */
  const openEnd = (bytes: Buffer) => {
    const { length } = bytes;
    let state = 0;
    for (let index = 0; index < length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (state === 0 && begins[byte] === 0) continue;
      state = automaton.step(state, byte);
      if (automaton.found(state) > 0) return undefined;
    }
    return automaton.depth(state);
  };
  const push = (chunk: Buffer): readonly Buffer[] => {
    let rest = chunk;
    const out: Buffer[] = [];
    while (rest.length > 0 && text.heldChars > 0) {
      const pieceBytes = Math.max(PIECE_BYTES, text.heldChars);
      out.push(readAsText(rest.subarray(0, pieceBytes)));
      rest = rest.subarray(pieceBytes);
    }
    const openBytes = openEnd(rest);
    if (openBytes === undefined) out.push(readAsText(rest));
    else if (rest.length > 0) {
      const safe = rest.length - openBytes;
      out.push(rest.subarray(0, safe), readAsText(rest.subarray(safe)));
    }
    return out;
  };
  return { push, end: () => toBytes(text.end()) };
}

function toBytes(text: string): Buffer {
  return Buffer.from(text, "latin1");
}
