import { readdir } from "node:fs/promises";
import { z } from "zod";
import { ToolFailure } from "../files/tool-failure.ts";
import { defineModelTool } from "./model-tool.ts";

const MAX_ENTRIES = 1000;

const input = z.object({
  path: z.string().optional().describe("Directory. Default: the working directory."),
});

/** Lists a directory. */
export const lsTool = defineModelTool({
  name: "LS",
  description: "Lists what is in a directory; names of directories end in /, those of links in @.",
  hasEffect: false,
  input,
  prepare: async ({ path = "." }, { files }) => {
    const directory = await files.find(path);
    return {
      asks: { path: directory.path },
      run: async () => {
        const entries = await readdir(directory.path, { withFileTypes: true }).catch((error) => {
          const reason = error instanceof Error ? error.message : String(error);
          throw new ToolFailure(`could not list ${directory.shown}: ${reason}`);
        });
        if (entries.length === 0) return "(the directory is empty)";
        const names = entries
          .map(
            (entry) =>
              `${entry.name}${entry.isDirectory() ? "/" : ""}${entry.isSymbolicLink() ? "@" : ""}`,
          )
          .sort();
        const more = names.length - MAX_ENTRIES;
        const shown = names.slice(0, MAX_ENTRIES);
        return [...shown, ...(more > 0 ? [`(and ${more} more)`] : [])].join("\n");
      },
    };
  },
});
