import { z } from "zod";
import { present } from "../../../../foundation/present.ts";
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
        return numbered(text, offset ?? 1, limit ?? MAX_LINES);
      },
    };
  },
});

function numbered(text: string, first: number, most: number): string {
  if (text === "") return "(the file is empty)";
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/);
  if (first > lines.length) return `(the file has ${lines.length} lines)`;
  const shown: string[] = [];
  let chars = 0;
  for (const [index, line] of lines.slice(first - 1, first - 1 + most).entries()) {
    const cut =
      line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line;
    const row = `${String(first + index).padStart(6)}\t${cut}`;
    chars += row.length + 1;
    if (chars > MAX_CHARS) break;
    shown.push(row);
  }
  const next = first + shown.length;
  if (next <= lines.length) shown.push(`(lines ${next} to ${lines.length} are not shown)`);
  return shown.join("\n");
}
