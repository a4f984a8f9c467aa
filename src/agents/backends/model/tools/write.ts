import { z } from "zod";
import { defineModelTool } from "./model-tool.ts";

const input = z.object({
  file_path: z.string().describe("Absolute, or from the working directory."),
  content: z.string().describe("The whole text of the file."),
});

/** Makes a file or replaces one that was read. */
export const writeTool = defineModelTool({
  name: "Write",
  description:
    "Writes a whole file: a new one, with the directories above it, or one that was read before, in place of what it holds. Edit is better for changes.",
  hasEffect: true,
  input,
  prepare: async ({ file_path, content }, { files }) => {
    const file = await files.findToWrite(file_path);
    return {
      asks: { file_path: file.path, content },
      run: async ({ emit }) => {
        const isThere = await files.exists(file);
        if (isThere) await files.readSeen(file);
        await files.write(file, content);
        emit({ type: "file-change", path: file.shown, kind: isThere ? "edit" : "create" });
        return `${isThere ? "Replaced" : "Made"} ${file.shown}.`;
      },
    };
  },
});
