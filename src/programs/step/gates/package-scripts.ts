import { isRecord } from "../../../foundation/json.ts";

/** The entry of `scripts` in the text of a package.json; undefined when there is none, or no such text. */
export function scriptEntryOf(text: string, name: string): string | undefined {
  const scripts = parsed(text)?.["scripts"];
  if (!isRecord(scripts) || !Object.hasOwn(scripts, name)) return undefined;
  const entry = scripts[name];
  return typeof entry === "string" ? entry : undefined;
}

/** The text with these entries, null for one that shall not be there; undefined when it is no package.json. */
export function withEntries(
  text: string,
  entries: { readonly [name: string]: string | null },
): string | undefined {
  const content = parsed(text);
  if (content === undefined) return undefined;
  const scripts = isRecord(content["scripts"]) ? content["scripts"] : {};
  const kept = Object.entries({ ...scripts, ...entries }).filter(([, entry]) => entry !== null);
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? "  ";
  const end = text.endsWith("\n") ? "\n" : "";
  return JSON.stringify({ ...content, scripts: Object.fromEntries(kept) }, null, indent) + end;
}

function parsed(text: string): { readonly [key: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
