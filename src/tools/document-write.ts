import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";

/** Replaces the text of a shared document. */
export const documentWrite = defineTool({
  name: "document_write",
  description:
    "Replace the whole text of a shared document. With `if_revision` it is refused, with the current text, when somebody else has changed it since.",
  isReadOnly: false,
  input: z.strictObject({
    content: z.string().describe("The whole new text"),
    name: z.string().min(1).exactOptional().describe("Another document than the main one"),
    if_revision: z
      .number()
      .int()
      .min(0)
      .exactOptional()
      .describe("The revision that you have read"),
  }),
  call: async (input, context) => {
    const { name, revision } = await context.editDocument({
      kind: "write",
      text: input.content,
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(input.if_revision === undefined ? {} : { ifRevision: input.if_revision }),
    });
    return { name, revision };
  },
});
