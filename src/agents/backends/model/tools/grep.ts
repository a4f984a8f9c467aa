import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { present } from "../../../../foundation/present.ts";
import type { CutText } from "../files/cut-text.ts";
import type { RealFile } from "../files/file-access.ts";
import { ToolFailure } from "../files/tool-failure.ts";
import { FoundLines, MAX_FOUND } from "./found-lines.ts";
import { pathTest } from "./glob-pattern.ts";
import { defineModelTool, type ToolPlace } from "./model-tool.ts";
import { runRipgrep } from "./ripgrep.ts";

const MAX_CONTEXT_LINES = 50;

const lines = z.int().min(0).max(MAX_CONTEXT_LINES).optional();
const input = z.object({
  pattern: z.string().min(1).describe("A regular expression, as ripgrep reads it."),
  path: z.string().optional().describe("File or directory. Default: the working directory."),
  glob: z.string().optional().describe("Only files that fit: `*.ts`, `src/**/*.{js,jsx}`."),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .optional()
    .describe("Default: files_with_matches."),
  "-i": z.boolean().optional().describe("Whether case does not matter."),
  "-A": lines.describe("Lines after each match, in mode content."),
  "-B": lines.describe("Lines before each match, in mode content."),
  "-C": lines.describe("Lines around each match, in mode content."),
  head_limit: z.int().min(1).max(MAX_FOUND).optional().describe("Most lines. Default: 250."),
  multiline: z.boolean().optional().describe("Whether a match may reach over several lines."),
});

type Query = z.infer<typeof input>;

/** Finds texts in files. */
export const grepTool = defineModelTool({
  name: "Grep",
  description:
    "Searches files for a regular expression. Shows names of files, or with output_mode content the lines with their numbers, at most 250. Files that git ignores are left out, and so are binary ones.",
  hasEffect: false,
  input,
  prepare: async (query, place) => {
    const target = await place.files.find(query.path ?? ".");
    const fits = query.glob === undefined ? () => true : pathTest(query.glob, true);
    return {
      asks: { pattern: query.pattern, path: target.path, ...present({ glob: query.glob }) },
      run: ({ signal }) => searchFiles({ query, target, fits }, place, signal),
    };
  },
});

interface TextSearch {
  readonly query: Query;
  readonly target: RealFile;
  readonly fits: (path: string) => boolean;
}

async function searchFiles(
  { query, target, fits }: TextSearch,
  place: ToolPlace,
  signal: AbortSignal,
): Promise<string | CutText> {
  const { directory, shown, args } = await toScope(target);
  const found = new FoundLines(query.head_limit);
  const take = (record: string) => {
    const [file = "", ...rest] = record.split("\0");
    return file === "--" || !fits(file) || found.push(join(shown, file), ...rest);
  };
  const search = { directory, args: [...optionsOf(query), ...args], take };
  const isList = (query.output_mode ?? "files_with_matches") === "files_with_matches";
  const separator = isList ? "\0" : "\n";
  await runRipgrep({ ...search, separator }, place, signal);
  return found.told("there is more; search for something narrower") ?? "(nothing was found)";
}

/** ripgrep is started in a directory, so that its paths are those that patterns count from. */
async function toScope({ path, shown }: RealFile) {
  const facts = await stat(path).catch(() => {
    throw new ToolFailure(`${shown} does not exist`);
  });
  if (facts.isDirectory()) return { directory: path, shown, args: ["--", "."] };
  return { directory: dirname(path), shown: dirname(shown), args: ["--", basename(path)] };
}

function optionsOf({ pattern, output_mode = "files_with_matches", ...query }: Query): string[] {
  const modes = {
    content: ["--line-number", "--no-heading", ...contextOf(query)],
    files_with_matches: ["--files-with-matches"],
    count: ["--count"],
  };
  return [
    "--null",
    "--with-filename",
    "--sort=path",
    ...modes[output_mode],
    ...(query["-i"] === true ? ["--ignore-case"] : []),
    ...(query.multiline === true ? ["--multiline", "--multiline-dotall"] : []),
    `--regexp=${pattern}`,
  ];
}

function contextOf(query: Pick<Query, "-A" | "-B" | "-C">): string[] {
  const { "-A": after = query["-C"], "-B": before = query["-C"] } = query;
  return [
    ...(after === undefined ? [] : [`--after-context=${after}`]),
    ...(before === undefined ? [] : [`--before-context=${before}`]),
  ];
}
