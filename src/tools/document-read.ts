import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";

/** Reads a shared document; one that nobody has written yet is empty, at revision 0. */
export const documentRead = defineTool({
  name: "document_read",
  description: "Read a shared document with its revision.",
  isReadOnly: true,
  input: z.strictObject({
    name: z.string().min(1).exactOptional().describe("Another document than the main one"),
  }),
  call: async ({ name }, context) => {
    const document = context.readDocument(name);
    return {
      name: document.name,
      revision: document.revision,
      content: document.text,
      ...(document.by === undefined ? {} : { by: document.by }),
    };
  },
});
