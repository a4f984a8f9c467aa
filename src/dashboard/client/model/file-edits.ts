import type { EventOf } from "../../../contracts/events/event.ts";
import { isRecord } from "../../../foundation/json.ts";
import type { FileEdit } from "./spans.ts";

type TextChange = Pick<FileEdit, "path" | "before" | "after">;

/**
 * What a call of a tool was to change in files, by the words that programs of agents have for it: a text in place of
 * another one, several of them, or a whole file. Nothing for any other call.
 */
export function editsOfCall(
  { call, input }: Pick<EventOf<"tool-called">, "call" | "input">,
  position: number,
): readonly FileEdit[] {
  return changesOf(input).map((change) => ({ ...change, call, position, isFailed: false }));
}

function changesOf(input: unknown): readonly TextChange[] {
  if (!isRecord(input)) return [];
  const path = textOf(input, ["file_path", "filePath", "path", "abs_path"]);
  if (path === undefined) return [];
  const { edits } = input;
  const several: readonly unknown[] = Array.isArray(edits) ? edits : [input];
  const changes = several.flatMap((edit) => (isRecord(edit) ? changeOf(path, edit) : []));
  const content = textOf(input, ["content", "contents", "file_text"]);
  if (changes.length > 0 || content === undefined) return changes;
  return [{ path, before: "", after: content }];
}

/** Files that a turn changed and of whose changes no text is known, each once. */
export function otherFiles(
  files: readonly string[],
  edits: readonly FileEdit[],
): readonly string[] {
  const known = edits.map(({ path }) => path);
  const isKnown = (file: string) =>
    known.some((path) => path === file || path.endsWith(`/${file}`));
  return [...new Set(files)].filter((file) => !isKnown(file));
}

function changeOf(path: string, edit: { readonly [name: string]: unknown }): readonly TextChange[] {
  const before = textOf(edit, ["old_string", "oldString", "oldText", "old_str"]);
  const after = textOf(edit, ["new_string", "newString", "newText", "new_str"]);
  return before === undefined || after === undefined ? [] : [{ path, before, after }];
}

function textOf(
  value: { readonly [name: string]: unknown },
  names: readonly string[],
): string | undefined {
  return names.map((name) => value[name]).find((text) => typeof text === "string");
}
