/** Finds the id of a message that is too long to be kept. */
export interface RequestIdReader {
  push(bytes: Uint8Array): void;
  /** The id as far as was read; undefined for a message without one, or that is no object. */
  id(): string | number | undefined;
}

// Longer than any id; what is longer is none.
const MAX_TOKEN_BYTES = 256;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** Reads a message of JSON as it comes, keeping nothing but one name and one value of the outermost object. */
export function createRequestIdReader(): RequestIdReader {
  let depth = 0;
  let string: "outside" | "inside" | "escaped" = "outside";
  let name = "";
  let token: number[] = [];
  let id: string | number | undefined;
  const keep = (byte: number) => {
    if (depth === 1 && token.length <= MAX_TOKEN_BYTES) token.push(byte);
  };
  const take = () => {
    const text = Buffer.from(token).toString("utf8").trim();
    token = [];
    return text;
  };
  const endMember = () => {
    const value = take();
    if (name === '"id"') id = toId(value);
    name = "";
  };
  const readString = (byte: number) => {
    keep(byte);
    if (string === "escaped") string = "inside";
    else if (byte === BACKSLASH) string = "escaped";
    else if (byte === QUOTE) string = "outside";
  };
  const read = (byte: number) => {
    if (string !== "outside") return readString(byte);
    if (depth === 1 && (byte === COMMA || CLOSING.has(byte))) endMember();
    if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    else if (depth === 1 && byte === COLON) name = take();
    else if (byte !== COMMA) keep(byte);
    if (byte === QUOTE) string = "inside";
  };
  return {
    push: (bytes) => {
      for (const byte of bytes) read(byte);
    },
    id: () => id,
  };
}

function toId(text: string): string | number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}
