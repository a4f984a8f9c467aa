import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";

/** Adds to the end of a shared document. */
export const documentAppend = defineTool({
  name: "document_append",
  description:
    "Add text to the end of a shared document. Appends of several agents never overwrite each other.",
  isReadOnly: false,
  input: z.strictObject({
    content: z.string().min(1).describe("The text to add"),
    name: z.string().min(1).exactOptional().describe("Another document than the main one"),
  }),
  call: async (input, context) => {
    const { name, revision } = await context.editDocument({
      kind: "append",
      text: input.content,
      ...(input.name === undefined ? {} : { name: input.name }),
    });
    return { name, revision };
  },
});
