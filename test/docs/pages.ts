import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root: string = join(import.meta.dirname, "../..");

/** A fenced block of a page. */
export interface Block {
  /** Line of the opening fence in the page, from 1. */
  readonly line: number;
  readonly language: string;
  /** Words after the language, such as `partial`. */
  readonly flags: readonly string[];
  readonly lines: readonly string[];
  /** Path of the file that it is, as its first line says. */
  readonly file: string | undefined;
}

/** A Markdown page of the project. */
export interface Page {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** The pages that users read, README first. */
export function readPages(): readonly Page[] {
  const paths = ["README.md", ...globSync("docs/**/*.md", { cwd: root }).toSorted()];
  return paths.map((path) => parsePage(path, readFileSync(join(root, path), "utf8")));
}

/** A page with its fenced blocks. */
export function parsePage(path: string, text: string): Page {
  const blocks: Block[] = [];
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (open === undefined) {
      const info = /^```(.+)$/.exec(line)?.[1];
      if (line.startsWith("```")) open = { line: index + 1, info: info ?? "", lines: [] };
    } else if (line === "```") {
      blocks.push(toBlock(open));
      open = undefined;
    } else open.lines.push(line);
  }
  if (open !== undefined) throw new Error(`${path}:${open.line} opens a block that never ends`);
  return { path, text, blocks };
}

/** The text of a block as a file has it. */
export function textOf({ lines }: Block): string {
  return `${lines.join("\n")}\n`;
}

function toBlock(open: { line: number; info: string; lines: readonly string[] }): Block {
  const { line, info, lines } = open;
  const [language = "", ...flags] = info.split(" ");
  const file = /^(?:#|\/\/) ((?:[\w.-]+\/)*[\w-]*\.[\w.-]+)$/.exec(lines[0] ?? "")?.[1];
  return { line, language, flags, lines, file };
}
