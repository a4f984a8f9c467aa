import { z } from "zod";
import { replaceText } from "../files/replace-text.ts";
import { ToolFailure } from "../files/tool-failure.ts";
import { defineModelTool } from "./model-tool.ts";

const input = z.object({
  file_path: z.string().describe("Absolute, or from the working directory."),
  edits: z
    .array(
      z.object({
        old_string: z.string(),
        new_string: z.string(),
        replace_all: z.boolean().optional(),
      }),
    )
    .min(1)
    .describe("One after the other, each as Edit takes it."),
});

/** Replaces several texts in one file, all of them or none. */
export const multiEditTool = defineModelTool({
  name: "MultiEdit",
  description:
    "Makes several edits in one file that was read before, one after the other: all of them or none.",
  hasEffect: true,
  input,
  prepare: async ({ file_path, edits }, { files }) => {
    const file = await files.findToWrite(file_path);
    return {
      asks: {
        file_path: file.path,
        edits: edits.map((edit) => ({ ...edit, replace_all: edit.replace_all ?? false })),
      },
      run: async ({ emit }) => {
        let text = await files.readSeen(file);
        for (const [index, { old_string, new_string, replace_all = false }] of edits.entries())
          text = replaced(
            text,
            { oldText: old_string, newText: new_string, all: replace_all },
            index,
          );
        await files.write(file, text);
        emit({ type: "file-change", path: file.shown, kind: "edit" });
        return `Made ${edits.length} ${edits.length === 1 ? "edit" : "edits"} in ${file.shown}.`;
      },
    };
  },
});

function replaced(text: string, edit: Parameters<typeof replaceText>[1], index: number): string {
  try {
    return replaceText(text, edit);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    throw new ToolFailure(`edit ${index + 1}: ${error.message}; nothing was changed`);
  }
}
