import { join } from "node:path";
import { z } from "zod";
import { pathTest } from "./glob-pattern.ts";
import { defineModelTool, type ToolPlace } from "./model-tool.ts";
import { runRipgrep } from "./ripgrep.ts";

const MAX_FOUND = 250;

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
): Promise<string> {
  const found: string[] = [];
  const take = (file: string) => {
    if (fits(file)) found.push(join(directory.shown, file));
    return found.length <= MAX_FOUND;
  };
  const args = ["--files", "--null", "--sort=path", "--", "."];
  await runRipgrep({ directory: directory.path, args, separator: "\0", take }, place, signal);
  if (found.length === 0) return "(no file fits)";
  const more = found.length > MAX_FOUND ? ["(there are more; use a narrower pattern)"] : [];
  return [...found.slice(0, MAX_FOUND), ...more].join("\n");
}
