import { z } from "zod";
import { present } from "../../../../foundation/present.ts";
import { type CutText, MAX_REST_CHARS } from "../files/cut-text.ts";
import { defineModelTool } from "./model-tool.ts";

const MAX_LINES = 2000;
const MAX_CHARS = 256 * 1024;
const MAX_LINE_CHARS = 2000;

const input = z.object({
  file_path: z.string().describe("Absolute, or from the working directory."),
  offset: z.int().min(1).optional().describe("First line, from 1."),
  limit: z.int().min(1).max(MAX_LINES).optional().describe("How many lines. Default: 2000."),
});

/** Shows lines of a text file with their numbers. */
export const readTool = defineModelTool({
  name: "Read",
  description:
    "Reads a text file. Shows at most 2,000 lines or 256 KiB, each line with its number and a tab before it; offset and limit show other parts. A file must be read before it is edited.",
  hasEffect: false,
  input,
  prepare: async ({ file_path, offset, limit }, { files }) => {
    const file = await files.find(file_path);
    return {
      asks: { file_path: file.path, ...present({ offset, limit }) },
      run: async () => {
        const { text } = await files.read(file);
        return numbered(text, offset ?? 1, limit);
      },
    };
  },
});

/** A `limit` that the model gave leaves out what it does not want. */
function numbered(text: string, first: number, limit: number | undefined): string | CutText {
  if (text === "") return "(the file is empty)";
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (first > lines.length) return `(the file has ${lines.length} lines)`;
  const wanted = lines.slice(first - 1, first - 1 + (limit ?? MAX_LINES));
  const rows = rowsOf(wanted, first);
  const before = rows.join("\n");
  const next = first + rows.length;
  const left = next > lines.length ? undefined : `lines ${next} to ${lines.length} are not shown`;
  const isChosen = limit !== undefined && rows.length === wanted.length;
  const long = wanted.slice(0, rows.length).findIndex(isLong);
  if (long < 0 && (left === undefined || isChosen))
    return left === undefined ? before : `${before}\n(${left})`;
  const words = [
    ...(long < 0 ? [] : ["long lines are cut"]),
    ...(left === undefined ? [] : [left]),
  ];
  const whole = lines.slice(first - 1).join("\n");
  const shownChars = wanted.slice(0, long < 0 ? rows.length : long).join("\n").length;
  return {
    ...{ before: `${before}\n`, left: words.join("; "), after: "" },
    whole: whole.slice(0, MAX_REST_CHARS).toWellFormed(),
    next: shownChars + (shownChars === 0 ? 0 : 1),
    isPart: whole.length > MAX_REST_CHARS,
  };
}

/** As many lines with their numbers as may be shown. */
function rowsOf(lines: readonly string[], first: number): readonly string[] {
  const rows: string[] = [];
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    const cut = isLong(line) ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line;
    const row = `${String(first + index).padStart(6)}\t${cut}`;
    chars += row.length + 1;
    if (chars > MAX_CHARS) break;
    rows.push(row);
  }
  return rows;
}

function isLong(line: string): boolean {
  return line.length > MAX_LINE_CHARS;
}
