import type { ConfigOrigin, ConfigValue } from "../../app/machine/config/config.ts";
import { isJsonArray, isRecord, type Json } from "../../foundation/json.ts";
import { toPrintable } from "../../foundation/printable.ts";

interface Line {
  readonly text: string;
  readonly origin: string;
}

const INDENT = "  ";
const PLAIN = /^([A-Za-z_/~][\w ./@~-]*|\d+(ms|s|m|h|d))$/;
const SPECIAL = /^(true|false|null|yes|no|on|off|~)$|\s$/i;
/** Values longer than this push no other comment aside. */
const MAX_ALIGNED_CHARS = 48;

/** Values as YAML, each with a comment that says where it came from; files below `root` are named from there. */
export function valueLines(values: readonly ConfigValue[], root: string): readonly string[] {
  const lines = block(values, 0, (origin) => originText(origin, root));
  const widths = lines.map(({ text }) => text.length).filter((width) => width <= MAX_ALIGNED_CHARS);
  const width = Math.max(0, ...widths);
  return lines.map(({ text, origin }) =>
    origin === "" ? text : `${text.padEnd(width)}  # ${toPrintable(origin)}`,
  );
}

function originText({ level, file, line }: ConfigOrigin, root: string): string {
  if (level === "machine") return "the first on this machine";
  if (file === undefined) return level;
  const name = file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
  return `${level} ${name}${line === undefined ? "" : `:${line}`}`;
}

function block(
  values: readonly ConfigValue[],
  depth: number,
  textOf: (origin: ConfigOrigin) => string,
): readonly Line[] {
  const groups = new Map<string, ConfigValue[]>();
  for (const value of values) {
    const key = value.path[depth] ?? "";
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return [...groups].flatMap(([key, group]) => {
    const head = `${INDENT.repeat(depth)}${scalar(key)}:`;
    const [first] = group;
    if (first === undefined || first.path.length > depth + 1)
      return [{ text: head, origin: "" }, ...block(group, depth + 1, textOf)];
    if (first.isItem !== true)
      return [{ text: `${head} ${inline(first.value)}`, origin: textOf(first.origin) }];
    const items = group.map(({ value, origin }) => ({
      text: `${INDENT.repeat(depth + 1)}- ${inline(value)}`,
      origin: textOf(origin),
    }));
    return [{ text: head, origin: "" }, ...items];
  });
}

function inline(value: Json): string {
  if (typeof value === "string") return scalar(value);
  if (isJsonArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, member]) => `${scalar(key)}: ${inline(member ?? null)}`)
    .join(", ")} }`;
}

/** A text that YAML reads as this text again, and that a terminal shows as it is. */
function scalar(text: string): string {
  const isPlain = PLAIN.test(text) && !SPECIAL.test(text);
  return isPlain ? text : toPrintable(JSON.stringify(text));
}
