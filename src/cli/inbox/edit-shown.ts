import { isJsonArray, type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { toPrintable, toVisibleText } from "../../foundation/printable.ts";
import { isSameJson } from "../../foundation/same-json.ts";
import { readYaml } from "../../foundation/yaml-source.ts";
import type { Invocation } from "../command/command.ts";
import { editInvalid, usageInvalid } from "../command/errors.ts";
import { type EditedText, editText } from "../editor/edit-text.ts";
import type { InboxEntry } from "./list-inbox.ts";

// Whoever has just written them knows the rest.
const MAX_SHOWN_CHANGES = 20;

/**
 * Lets the person edit what is to be approved, a text as it is and other data as YAML, and tells what
 * changed; undefined when nothing did. Raises USAGE_INVALID, USAGE_EDIT_INVALID and what editText raises.
 */
export async function editShown(
  { id, show }: InboxEntry,
  invocation: Pick<Invocation, "io" | "settings">,
): Promise<Json | undefined> {
  if (show === undefined)
    throw usageInvalid({ problem: `${id} shows no data that could be edited` });
  const isText = typeof show === "string";
  const edited = await editText(
    isText ? { name: `${id}.txt`, text: show } : { name: `${id}.yaml`, text: await toYaml(show) },
    invocation,
  );
  const after = isText ? withoutAddedEnd(edited.text, show) : toJson(parse(edited), id);
  await edited.discard();
  const changes = changesOf(show, after);
  const lines = changes
    .slice(0, MAX_SHOWN_CHANGES)
    .map((change) =>
      toPrintable(toVisibleText(changeLine(change, invocation.settings.glyphs.arrow))),
    );
  const more = changes.length - lines.length;
  const told = changes.length === 0 ? ["nothing was changed"] : lines;
  if (!invocation.settings.isQuiet)
    for (const line of more > 0 ? [...told, `and ${more} more changes`] : told)
      invocation.io.stdout.write(`${line}\n`);
  return changes.length === 0 ? undefined : after;
}

async function toYaml(value: Json): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0 });
}

/** Editors end the last line of a file. */
function withoutAddedEnd(text: string, before: string): string {
  return before.endsWith("\n") ? text : text.replace(/\r?\n$/u, "");
}

function parse({ text, file }: EditedText): unknown {
  const { value, problems } = readYaml(text, file);
  const [problem] = problems;
  if (problem === undefined && text.trim() !== "") return value;
  const line = problem?.place.line === undefined ? "" : ` in line ${problem.place.line}`;
  throw editInvalid({ file, problem: `${problem?.message ?? "it is empty"}${line}` });
}

/** One place where data differs; absent on the side that lacks it. */
interface DataChange {
  /** `files[0].path`; empty for the whole. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Where two values differ, as deep as both have the same shape, in the order of the keys. */
function changesOf(before: Json, after: Json, path = ""): readonly DataChange[] {
  if (isSameJson(before, after)) return [];
  const [old, fresh] = [membersOf(before), membersOf(after)];
  const isList = isJsonArray(before);
  if (old === undefined || fresh === undefined || isList !== isJsonArray(after))
    return [{ path, before, after }];
  return [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) => {
    const place = isList ? `${path}[${key}]` : [path, key].filter((part) => part !== "").join(".");
    const [left, right] = [old.get(key), fresh.get(key)];
    if (left !== undefined && right !== undefined) return changesOf(left, right, place);
    return [
      {
        path: place,
        ...present({ before: left, after: right }),
      },
    ];
  });
}

/** A change in one line: `~ version: 7 → 8`, `+ note: "new"`, `- files[2]: "a.ts"`. */
function changeLine({ path, before, after }: DataChange, arrow: string): string {
  const place = path === "" ? "" : `${path}: `;
  if (before === undefined) return `+ ${place}${JSON.stringify(after)}`;
  if (after === undefined) return `- ${place}${JSON.stringify(before)}`;
  return `~ ${place}${JSON.stringify(before)} ${arrow} ${JSON.stringify(after)}`;
}

function membersOf(value: Json): ReadonlyMap<string, Json> | undefined {
  if (value === null || typeof value !== "object") return undefined;
  return new Map(Object.entries(value));
}
