import { join } from "node:path";
import { z } from "zod";
import type { CutText } from "../files/cut-text.ts";
import { FoundLines } from "./found-lines.ts";
import { pathTest } from "./glob-pattern.ts";
import { defineModelTool, type ToolPlace } from "./model-tool.ts";
import { runRipgrep } from "./ripgrep.ts";

const input = z.object({
  pattern: z.string().min(1).describe("`**/*.ts`, `src/*.{js,json}`: from the directory searched."),
  path: z.string().optional().describe("Directory to search. Default: the working directory."),
});

/** Finds files by their names. */
export const globTool = defineModelTool({
  name: "Glob",
  description:
    "Finds files whose path fits a pattern, sorted by path, at most 250. Files that git ignores are left out.",
  hasEffect: false,
  input,
  prepare: async ({ pattern, path = "." }, place) => {
    const directory = await place.files.find(path);
    const fits = pathTest(pattern);
    return {
      asks: { pattern, path: directory.path },
      run: ({ signal }) => findFiles({ directory, fits }, place, signal),
    };
  },
});

interface FileSearch {
  readonly directory: { readonly path: string; readonly shown: string };
  readonly fits: (path: string) => boolean;
}

async function findFiles(
  { directory, fits }: FileSearch,
  place: ToolPlace,
  signal: AbortSignal,
): Promise<string | CutText> {
  const found = new FoundLines();
  const take = (file: string) => !fits(file) || found.push(join(directory.shown, file));
  const args = ["--files", "--null", "--sort=path", "--", "."];
  await runRipgrep({ directory: directory.path, args, separator: "\0", take }, place, signal);
  return found.told("there are more; use a narrower pattern") ?? "(no file fits)";
}
