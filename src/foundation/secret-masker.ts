import { isJsonArray, type Json } from "./json.ts";
import { createTextAutomaton, type TextAutomaton } from "./text-automaton.ts";

/** Replaces known secrets, however they are commonly written, with `***`. */
export interface SecretMasker {
  /** True when there is nothing to mask. */
  readonly isEmpty: boolean;
  mask(text: string): string;
  /** Masks every text inside a value, keys included. */
  maskJson(value: Json): Json;
  /** For a text that comes in parts: finds secrets that are split between them. */
  stream(): SecretMaskStream;
}

export interface SecretMaskStream {
  /** The masked text so far, without an end that may be the start of a secret. */
  push(text: string): string;
  /** What was held back. */
  end(): string;
}

/** What stands in the place of a secret. */
export const SECRET_MASK = "***";

/** Shorter values are words: masking them would garble everything. */
export const SHORTEST_SECRET_CHARS = 6;

/**
 * A masker of the given values, each also as Base64 (alone or inside a longer text), URL-encoded and
 * as it stands in JSON. Values of less than 6 characters are left alone. What masking costs does not depend on how many
 * values there are or how long they are.
 */
export function createSecretMasker(secrets: Iterable<string>): SecretMasker {
  const forms = new Set<string>();
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  if (forms.size === 0) return NOTHING;
  const automaton = createTextAutomaton([...forms]);
  const stream = () => createStream(automaton);
  const mask = (text: string) => {
    const masked = stream();
    return masked.push(text) + masked.end();
  };
  return { isEmpty: false, mask, maskJson: (value) => maskTexts(value, mask), stream };
}

const NOTHING: SecretMasker = {
  isEmpty: true,
  mask: (text) => text,
  maskJson: (value) => value,
  stream: () => ({ push: (text) => text, end: () => "" }),
};

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

/** A part of the text that is masked: from its first character to the one behind its last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Masks as it goes, in one pass: secrets that overlap have one mask. Places are counted from the beginning of what is
 * held back.
 */
function createStream(automaton: TextAutomaton): SecretMaskStream {
  let held = "";
  let state = 0;
  /** How much of what is held back belongs to a mask that was handed out. */
  let openChars = 0;
  let spans: Span[] = [];
  const read = (text: string, from: number) => {
    for (let index = from; index < text.length; index += 1) {
      state = automaton.step(state, text.charCodeAt(index));
      const found = automaton.found(state);
      if (found > 0) add(index + 1 - found, index + 1);
    }
  };
  const add = (start: number, end: number) => {
    let first = start;
    for (let last = spans.at(-1); last !== undefined && last.end > first; last = spans.at(-1)) {
      first = Math.min(first, last.start);
      spans.pop();
    }
    if (first < openChars) openChars = end;
    else spans.push({ start: first, end });
  };
  /** Hands out all before a place, behind which no secret that is not known yet can begin. */
  const release = (text: string, safe: number) => {
    let out = "";
    let done = openChars;
    const isFinal = ({ start }: Span) => start < safe;
    for (const { start, end } of spans.filter(isFinal)) {
      out += text.slice(done, start) + SECRET_MASK;
      done = end;
    }
    if (safe > done) out += text.slice(done, safe);
    const from = Math.min(Math.max(safe, 0), text.length);
    spans = spans
      .filter((span) => !isFinal(span))
      .map(({ start, end }) => ({ start: start - from, end: end - from }));
    openChars = Math.max(0, done - from);
    held = text.slice(from);
    return out;
  };
  return {
    push: (text) => {
      const whole = held + text;
      read(whole, held.length);
      return release(whole, whole.length - automaton.depth(state));
    },
    end: () => {
      const rest = release(held, held.length);
      state = 0;
      openChars = 0;
      return rest;
    },
  };
}
