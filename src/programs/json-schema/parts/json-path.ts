/** Where something lies in a schema or in data: keys and positions from its root. */
export type JsonPath = readonly (string | number)[];

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;
const MAX_KEY_CHARS = 60;
const MAX_PATH_PARTS = 12;

/** A path as people write it: `files[0].name`, `["a b"].c`; its middle is left out where it is long. */
export function jsonPathText(path: JsonPath): string {
  const half = MAX_PATH_PARTS / 2;
  const parts = path.map(partText);
  const shown =
    parts.length > MAX_PATH_PARTS ? [...parts.slice(0, half), "…", ...parts.slice(-half)] : parts;
  return shown.join("").replace(/^\./, "");
}

function partText(part: string | number): string {
  if (typeof part === "number") return `[${part}]`;
  const key = part.length > MAX_KEY_CHARS ? `${part.slice(0, MAX_KEY_CHARS)}…` : part;
  return PLAIN_KEY.test(part) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
