import { isRecord, type Json } from "../../foundation/json.ts";

const MAX_LABEL_CHARS = 80;
/** The members by which people know things, the likeliest first. */
const NAMING: readonly string[] = ["name", "id", "title", "path", "file", "url"];

/** What people know an item of a list by: itself, or the member that names it; undefined where nothing does. */
export function itemLabel(item: Json | undefined): string | undefined {
  const told = isRecord(item)
    ? NAMING.map((key) => item[key]).find((value) => typeof value === "string")
    : item;
  if (typeof told !== "string" && typeof told !== "number") return undefined;
  const line = String(told).trim().replaceAll(/\s+/gu, " ");
  if (line === "") return undefined;
  return line.length > MAX_LABEL_CHARS ? line.slice(0, MAX_LABEL_CHARS).toWellFormed() : line;
}
