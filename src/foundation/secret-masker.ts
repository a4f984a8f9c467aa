import { BYTES_HIDDEN, type HiddenReader, shownOf } from "./hidden-text.ts";
import { isJsonArray, type Json } from "./json.ts";
import { createMaskedText, type MaskSearch } from "./masked-text.ts";
import { createTextAutomaton } from "./text-automaton.ts";

/** Replaces known secrets, however they are commonly written, with `***`. */
export interface SecretMasker {
  /** True when there is nothing to mask. */
  readonly isEmpty: boolean;
  mask(text: string): string;
  /** Masks every text inside a value, keys included. */
  maskJson(value: Json): Json;
  /** For output that comes in parts: finds secrets that are split between them. */
  stream(): MaskedBytes;
}

/** Shorter values are words: masking them would garble everything. */
export const SHORTEST_SECRET_CHARS = 6;

/**
 * A masker of the given values, each also as Base64 (alone or inside a longer text), URL-encoded and
 * as it stands in JSON, and found as well where something that terminals do not show stands in it. Values of less than 6 characters are left alone. What masking costs does not depend on how many
 * values there are or how long they are.
 */
export function createSecretMasker(secrets: Iterable<string>): SecretMasker {
  const forms = new Set<string>();
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  if (forms.size === 0) return NOTHING;
  const search = searchOf([...forms], (form) => form);
  let ofBytes: MaskSearch | undefined;
  const mask = (text: string) => {
    const masked = createMaskedText(search);
    return masked.push(text) + masked.end();
  };
  const stream = () => {
    ofBytes ??= searchOf([...forms], (form) => Buffer.from(form).toString("latin1"));
    return createMaskedBytes({ ...ofBytes, reader: BYTES_HIDDEN });
  };
  return { isEmpty: false, mask, maskJson: (value) => maskTexts(value, mask), stream };
}

const NOTHING: SecretMasker = {
  isEmpty: true,
  mask: (text) => text,
  maskJson: (value) => value,
  stream: () => PLAIN_BYTES,
};

function searchOf(forms: readonly string[], encode: (form: string) => string): MaskSearch {
  const shownForms = forms.map(shownOf);
  const automaton = createTextAutomaton(forms.map(encode));
  if (shownForms.every((shown, at) => shown === forms[at])) return { automaton, shown: automaton };
  const long = shownForms.filter((shown) => shown.length >= SHORTEST_SECRET_CHARS);
  return { automaton, shown: createTextAutomaton(long.map(encode)) };
}

function formsOf(secret: string): string[] {
  if (secret.length < SHORTEST_SECRET_CHARS) return [];
  const encoded = encodeURIComponent(secret.toWellFormed());
  const inBase64 = base64Forms(Buffer.from(secret));
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encoded,
    encoded.replace(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
    encoded.replaceAll("%20", "+"),
    ...inBase64,
    ...inBase64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
  ];
  return forms.filter((form) => form.length >= SHORTEST_SECRET_CHARS);
}

/** The Base64 text of the bytes, and the part of it that is the same at each of the three places within a group. */
function base64Forms(bytes: Buffer): string[] {
  const inside = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const start = Math.ceil((offset * 8) / 6);
    const wholeChars = Math.floor(((offset + bytes.length) * 8) / 6);
    return text.slice(start, wholeChars);
  });
  return [bytes.toString("base64"), ...inside];
}

/** The value with every text in it masked, keys included. */
export function maskTexts(value: Json, mask: (text: string) => string): Json {
  if (typeof value === "string") return mask(value);
  if (value === null || typeof value !== "object") return value;
  if (isJsonArray(value)) return value.map((item) => maskTexts(item, mask));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [mask(key), maskTexts(member, mask)]),
  );
}

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
const PLAIN_BYTES: MaskedBytes = {
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
function createMaskedBytes(search: MaskSearch & { readonly reader: HiddenReader }): MaskedBytes {
  const { automaton, shown, reader } = search;
  const text = createMaskedText(search);
  const readAsText = (bytes: Buffer) => toBytes(text.push(bytes.toString("latin1")));
  const begins = Uint8Array.from({ length: 256 }, (_, byte) =>
    Math.min(1, automaton.step(0, byte) + shown.step(0, byte)),
  );
  /** How many bytes at the end may begin a secret; undefined when there is a secret. */
  const openEnd = (bytes: Buffer) => {
    const { length } = bytes;
    if (shown !== automaton) return undefined;
    let state = 0;
    for (let index = 0; index < length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (state === 0 && begins[byte] === 0) continue;
      // Hidden within what may be a secret.
      if (state !== 0 && reader.mayHide(byte)) return undefined;
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
