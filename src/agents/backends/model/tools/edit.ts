import { z } from "zod";
import { present } from "../../../../foundation/present.ts";
import { replaceText } from "../files/replace-text.ts";
import { defineModelTool } from "./model-tool.ts";

const input = z.object({
  file_path: z.string().describe("Absolute, or from the working directory."),
  old_string: z.string().describe("What stands there now, with enough around it to be unique."),
  new_string: z.string().describe("What is to stand there."),
  replace_all: z.boolean().optional().describe("Whether all places are meant. Default: false."),
});

/** Replaces a text in a file that was read. */
export const editTool = defineModelTool({
  name: "Edit",
  description:
    "Replaces old_string by new_string in a file that was read before. old_string must stand there exactly once, unless replace_all is true; it is without the line numbers that Read shows.",
  hasEffect: true,
  input,
  prepare: async ({ file_path, old_string, new_string, replace_all }, { files }) => {
    const file = await files.findToWrite(file_path);
    return {
      asks: { file_path: file.path, old_string, new_string, ...present({ replace_all }) },
      run: async ({ emit }) => {
        const text = await files.readSeen(file);
        const edit = { oldText: old_string, newText: new_string, all: replace_all ?? false };
        await files.write(file, replaceText(text, edit));
        emit({ type: "file-change", path: file.shown, kind: "edit" });
        return `Changed ${file.shown}.`;
      },
    };
  },
});
