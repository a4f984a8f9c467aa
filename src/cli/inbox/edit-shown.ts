import { type Json, toJson } from "../../foundation/json.ts";
import { toPrintable, toVisibleText } from "../../foundation/printable.ts";
import { readYaml } from "../../foundation/yaml-source.ts";
import type { Invocation } from "../command/command.ts";
import { editInvalid, usageInvalid } from "../command/errors.ts";
import { type EditedText, editText } from "../editor/edit-text.ts";
import { changeLine, changesOf } from "./data-changes.ts";
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
