import { isJsonArray, type Json } from "./json.ts";

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

// Shorter values are words: masking them would garble everything.
const SHORTEST_SECRET_CHARS = 6;

/**
 * A masker of the given values, each also as Base64 (alone or inside a longer text), URL-encoded and
 * as it stands in JSON. Values of less than 6 characters are left alone.
 */
export function createSecretMasker(secrets: Iterable<string>): SecretMasker {
  const forms = new Set<string>();
  for (const secret of secrets) for (const form of formsOf(secret)) forms.add(form);
  if (forms.size === 0) return NOTHING;
  // Where two forms start at one place the longer one must win.
  const ordered = [...forms].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(ordered.map(escapePattern).join("|"), "g");
  const mask = (text: string) => text.replace(pattern, SECRET_MASK);
  return {
    isEmpty: false,
    mask,
    maskJson: (value) => maskTexts(value, mask),
    stream: () => createStream(ordered, pattern),
  };
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

function createStream(forms: readonly string[], pattern: RegExp): SecretMaskStream {
  let held = "";
  return {
    push: (text) => {
      const whole = held + text;
      const safe = safeLength(whole, forms, pattern);
      held = whole.slice(safe);
      return whole.slice(0, safe).replace(pattern, SECRET_MASK);
    },
    end: () => {
      const rest = held.replace(pattern, SECRET_MASK);
      held = "";
      return rest;
    },
  };
}

/** How much of the text can be masked whatever follows: never half of a secret. */
function safeLength(text: string, forms: readonly string[], pattern: RegExp): number {
  const safe = text.length - openEndLength(text, forms);
  if (safe === text.length) return safe;
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (match.index < safe && end > safe) return end;
  }
  return safe;
}

/** Length of the longest end of the text with which a form begins. */
function openEndLength(text: string, forms: readonly string[]): number {
  let longest = 0;
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(form.slice(0, length))) longest = length;
    }
  }
  return longest;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
