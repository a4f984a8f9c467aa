import { isJsonArray, isJsonObject, type Json } from "./json.ts";
import { diffLines } from "./line-diff.ts";
import { readableJson, toReadableLine, withEscapes } from "./readable-json.ts";

/** A call of a tool as a person is asked about it. */
export interface AskedCall {
  /** In one line: `Bash: git push`, `Edit src/a.ts (+2 -1)`. */
  readonly line: string;
  /** What the line leaves out, an edit as a diff; empty when the line says all. */
  readonly lines: readonly string[];
}

/** How a person is asked about a call: a command as it is typed, an edit as what it changes, all else member by member. */
export function toAskedCall(tool: string, input: Json): AskedCall {
  if (isJsonObject(input)) {
    const { command, ...others } = input;
    if (typeof command === "string") return askedCommand(tool, command, others);
    const edit = editOf(input);
    if (edit !== undefined) return askedEdit(tool, edit);
  }
  if (typeof input === "string") return askedText(tool, input);
  const text = toReadableLine(input);
  return {
    line: `${tool} ${text}`,
    lines: /^[[{]./u.test(text) && text.length > 2 ? linesOf(input) : [],
  };
}

function askedText(tool: string, given: string): AskedCall {
  const text = withEscapes(given);
  const { first, more } = firstLine(text);
  return { line: `${tool}: ${first}${more}`, lines: more === "" ? [] : linesOf(text) };
}

/** A command of several lines must not look like one of a single line. */
function askedCommand(
  tool: string,
  command: string,
  others: { readonly [name: string]: Json },
): AskedCall {
  const asked = askedText(tool, command);
  if (Object.keys(others).length === 0) return asked;
  const beside = `${asked.line} (${toReadableLine(others)})`;
  return {
    line: beside,
    lines: asked.lines.length === 0 ? [] : [...asked.lines, ...linesOf(others)],
  };
}

function firstLine(text: string): { readonly first: string; readonly more: string } {
  const [first = "", ...rest] = text.trimEnd().split(/\r\n|[\n\r]/u);
  return { first, more: rest.length === 0 ? "" : ` (and ${rest.length} more lines)` };
}

interface Change {
  readonly before: string;
  readonly after: string;
}

interface AskedEdit {
  readonly path: string;
  readonly changes: readonly Change[];
  /** What else is said of it. */
  readonly others: { readonly [name: string]: Json };
}

/** What tools that change a file are given, as Claude Code names it; other backends are read into that. */
function editOf(input: { readonly [name: string]: Json }): AskedEdit | undefined {
  const { file_path: path, old_string: before, new_string: after, ...others } = input;
  if (typeof path !== "string") return undefined;
  if (typeof before === "string" && typeof after === "string")
    return { path, changes: [{ before, after }], others };
  if (before !== undefined || after !== undefined) return undefined;
  const { content, edits, ...rest } = others;
  if (typeof content === "string" && edits === undefined)
    return { path, changes: [{ before: "", after: content }], others: rest };
  const changes = edits === undefined || content !== undefined ? undefined : changesOf(edits);
  return changes === undefined ? undefined : { path, changes, others: rest };
}

function changesOf(edits: Json): readonly Change[] | undefined {
  if (!isJsonArray(edits) || edits.length === 0) return undefined;
  const changes = edits.flatMap((edit) => {
    if (!isJsonObject(edit)) return [];
    const { old_string: before, new_string: after, ...others } = edit;
    const isPlain = Object.values(others).every((value) => value === false);
    return isPlain && typeof before === "string" && typeof after === "string"
      ? [{ before, after }]
      : [];
  });
  return changes.length === edits.length ? changes : undefined;
}

const SIGNS = { same: " ", added: "+", removed: "-" } as const;

function askedEdit(tool: string, { path, changes, others }: AskedEdit): AskedCall {
  const lines = changes.map(({ before, after }) => diffLines(before, after));
  const number = (kind: "added" | "removed") =>
    lines.flat().filter((line) => line.kind === kind).length;
  const counts = `+${number("added")} -${number("removed")}`;
  const beside = Object.keys(others).length === 0 ? [] : linesOf(others);
  const told = [...beside, ...(/[\r\n]/u.test(path) ? [`file_path: ${JSON.stringify(path)}`] : [])];
  return {
    line: `${tool} ${path} (${counts})`,
    lines: [
      ...told,
      ...lines.flatMap((change, index) => [
        ...(index === 0 ? [] : ["…"]),
        ...change.map(({ kind, text }) => `${SIGNS[kind]} ${withEscapes(text)}`),
      ]),
    ],
  };
}

function linesOf(value: Json): readonly string[] {
  return readableJson(value).split("\n");
}
