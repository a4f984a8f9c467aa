import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { present } from "../foundation/present.ts";
import { ADDS } from "./parts/annotations.ts";
import { documentName } from "./parts/fields.ts";

/** Sends a suggestion to the owner of a document. */
export const documentSuggest = defineTool({
  name: "document_suggest",
  title: "Suggest a change",
  description:
    "Ask the owner of a document for a change: it gets your text as a message and decides. Use it when document_write is refused because the document belongs to another agent.",
  annotations: ADDS,
  needs: "document",
  input: z.strictObject({
    content: z.string().min(1).describe("What the document, or a part of it, should say"),
    name: documentName.exactOptional(),
    note: z.string().min(1).exactOptional().describe("Why"),
  }),
  call: async ({ content: text, name, note }, context) => {
    const { id, seq, recipients } = await context.suggestEdit({
      text,
      ...present({ name, note }),
    });
    return { sent: true, id, seq, recipients };
  },
});
