import { sha256 } from "../../foundation/hash.ts";
import type { ConfigEntry } from "./config-files.ts";

/** A filter of the user's own configuration of git: programs through which files are stored and checked out. */
export interface UserFilter {
  readonly name: string;
  /** Its values in the order in which they count, by what they set: clean, smudge, process, required. */
  readonly values: { readonly [key: string]: string };
  /** SHA-256 of all of that. */
  readonly hash: string;
}

const VALUE = /^filter\.(.+)\.(clean|smudge|process|required)$/s;
// What Git LFS would do is done without its program.
const BUILT_IN = "lfs";

/** The filters that a user has configured, without what a repository says of them. */
export function userFilters(ofUser: readonly ConfigEntry[]): readonly UserFilter[] {
  const found = new Map<string, Record<string, string>>();
  for (const { key, value } of ofUser) {
    const [, name, what] = VALUE.exec(key) ?? [];
    if (name === undefined || what === undefined || name === BUILT_IN) continue;
    found.set(name, { ...found.get(name), [what]: value });
  }
  return [...found].map(([name, values]) => {
    const text = JSON.stringify(Object.entries(values).toSorted());
    return { name, values, hash: sha256(text) };
  });
}

/** Filters as text of a configuration of git. */
export function filterText(filters: readonly UserFilter[]): string {
  return filters
    .map(({ name, values }) => {
      const lines = Object.entries(values).map(([key, value]) => `\t${key} = ${quoted(value)}\n`);
      return `[filter ${quoted(name)}]\n${lines.join("")}`;
    })
    .join("");
}

/** In a section's name and in a value backslash and quote are escaped alike; a line's end is only one in values. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}
