import { ToolFailure } from "./tool-failure.ts";

/** One replacement in a text. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

/**
 * The text with an edit: exact where the old text stands, else where it stands once but for its whitespace. Raises a
 * ToolFailure that says what is wrong where that is nowhere, or in several places.
 */
export function replaceText(text: string, edit: TextEdit): string {
  const { oldText, newText } = edit;
  if (oldText === "") throw new ToolFailure("old_string is empty; Write makes a file");
  if (oldText === newText) throw new ToolFailure("old_string and new_string are the same");
  const exact = replaceExact(text, edit);
  if (exact !== undefined) return exact;
  // What a model is shown of a file has no carriage returns.
  const isCrlf = text.includes("\r\n") && !oldText.includes("\r");
  const crlf = isCrlf
    ? replaceExact(text, { ...edit, oldText: toCrlf(oldText), newText: toCrlf(newText) })
    : undefined;
  return crlf ?? replaceLines(text, edit, isCrlf);
}

function replaceExact(text: string, { oldText, newText, all }: TextEdit): string | undefined {
  const parts = text.split(oldText);
  if (parts.length === 1) return undefined;
  if (parts.length > 2 && !all)
    throw new ToolFailure(
      `old_string stands in ${parts.length - 1} places; add lines around it, or say replace_all`,
    );
  return parts.join(newText);
}

/** Looks for whole lines that differ in whitespace alone. */
function replaceLines(text: string, { oldText, newText }: TextEdit, isCrlf: boolean): string {
  const lines = text.split("\n");
  const wanted = oldText
    .replace(/\r?\n$/, "")
    .split("\n")
    .map(plain);
  if (wanted.every((line) => line === "")) throw notFound();
  const bare = lines.map(plain);
  const starts = bare.flatMap((_, index) =>
    wanted.every((line, offset) => bare[index + offset] === line) ? [index] : [],
  );
  const [start] = starts;
  if (start === undefined) throw notFound();
  if (starts.length > 1)
    throw new ToolFailure(
      `old_string stands nowhere exactly, and but for whitespace in ${starts.length} places (lines ${starts.map((at) => at + 1).join(", ")}); copy it as it is`,
    );
  const end = isCrlf ? "\r" : "";
  const replacement = newText.replace(/\r?\n$/, "");
  const written = isCrlf ? toCrlf(replacement) : replacement;
  const rest = lines.slice(start + wanted.length);
  return [...lines.slice(0, start), `${written}${rest.length > 0 ? end : ""}`, ...rest].join("\n");
}

function notFound(): ToolFailure {
  return new ToolFailure(
    "old_string does not stand in the file; read it again and copy it exactly",
  );
}

function plain(line: string): string {
  return line.replaceAll(/\s+/g, " ").trim();
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}
