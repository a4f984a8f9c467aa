/** What a setting of Codex can be on its command line. */
export type TomlValue =
  | string
  | number
  | boolean
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue };

/** The value in TOML on one line. Texts are quoted so that nothing in them ends the value. */
export function tomlValue(value: TomlValue): string {
  if (typeof value === "string") return tomlText(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (isList(value)) return `[${value.map(tomlValue).join(",")}]`;
  const members = Object.entries(value).map(
    ([key, member]) => `${tomlText(key)}=${tomlValue(member)}`,
  );
  return `{${members.join(",")}}`;
}

/** A basic string: that of JSON, but for DEL, which TOML wants escaped, and lone surrogates, which it refuses. */
function tomlText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007f");
}

function isList(value: TomlValue): value is readonly TomlValue[] {
  return Array.isArray(value);
}
