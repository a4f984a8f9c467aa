import { Document, isMap, isScalar, isSeq, type Node } from "yaml";
import { isRecord } from "../../foundation/json.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { toValue } from "../source/source-node.ts";
import type { ImportedFile } from "./import-tree.ts";
import { imported as importedWarning } from "./parts/errors.ts";
import type { ImportNote } from "./parts/importer.ts";

/** A file of another tool as YAML for troupe; what was not carried over stands in comments where it belonged. */
export function printImported(imported: ImportedFile, file: string): string {
  const notes = imported.notes.filter(({ error }) => error.code !== importedWarning.code);
  const value = notes.reduce(withKept, toValue(imported.root));
  const document = new Document(value, { aliasDuplicateObjects: false });
  for (const note of notes) comment(document, note);
  const head = ` Made by troupe convert from ${toPrintable(file)}, a file of ${imported.from}.`;
  const more = document.commentBefore ?? "";
  document.commentBefore = more === "" ? head : `${head}\n${more}`;
  return document.toString({ lineWidth: 0, nullStr: "", indentSeq: true });
}

/** The content with what a note refuses at its place. */
function withKept(content: unknown, { at, kept }: ImportNote): unknown {
  if (kept === undefined) return content;
  const put = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) {
      const [id, ...within] = path;
      return value.map((item: unknown) => (hasId(item, id) ? put(item, within) : item));
    }
    const members = isRecord(value) ? value : {};
    const [key, ...rest] = path;
    if (key === undefined) return { ...members, [kept.key]: toValue(kept.node) };
    return { ...members, [key]: put(members[key], rest) };
  };
  return put(content, at);
}

function hasId(item: unknown, id: string | undefined): boolean {
  return isRecord(item) && item["id"] === id;
}

/** Puts a note before the key that it is about, else before the nearest one around it, else at the top. */
function comment(document: Document, { error, at, kept, severity }: ImportNote): void {
  const mark = severity === "error" ? "MISSING" : "note";
  const text = ` ${mark}: ${toPrintable(error.message)}${hintOf(error.hint)}`;
  const holder = keyAt(document, kept === undefined ? at : [...at, kept.key]) ?? document;
  const before = holder.commentBefore ?? "";
  holder.commentBefore = before === "" ? text : `${before}\n${text}`;
}

function hintOf(hint: string | undefined): string {
  return hint === undefined ? "" : ` (${toPrintable(hint)})`;
}

function keyAt(document: Document, at: readonly string[]): Node | undefined {
  let found: Node | undefined;
  let node: unknown = document.contents;
  for (const key of at) {
    if (isSeq(node)) {
      const item = node.items.find((each) => isMap(each) && each.get("id") === key);
      if (!isMap(item)) return found;
      [found, node] = [item, item];
      continue;
    }
    if (!isMap(node)) return found;
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
    if (pair === undefined || !isScalar(pair.key)) return found;
    found = pair.key;
    node = pair.value;
  }
  return found;
}
