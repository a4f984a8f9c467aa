import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { present } from "../foundation/present.ts";
import { ADDS } from "./parts/annotations.ts";
import { documentName } from "./parts/fields.ts";

/** Adds to the end of a shared document. */
export const documentAppend = defineTool({
  name: "document_append",
  title: "Append to a document",
  description:
    "Add text to the end of a shared document, on a line of its own if you begin or end with a line break. Appends of several agents never overwrite each other. With `owner` a document that nobody has written yet becomes yours.",
  annotations: ADDS,
  needs: "document",
  input: z.strictObject({
    content: z.string().min(1).describe("The text to add"),
    name: documentName.exactOptional(),
    owner: z.boolean().exactOptional().describe("Become the owner of a new document"),
  }),
  call: async ({ content, name: given, owner: claim }, context) => {
    const { name, revision } = await context.editDocument({
      kind: "append",
      text: content,
      ...present({ name: given, claim }),
    });
    return { written: true, name, revision };
  },
});
