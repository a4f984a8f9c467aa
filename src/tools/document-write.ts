import { z } from "zod";
import { defineTool, type ToolContext } from "../contracts/tool.ts";
import { TroupeError } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { documentConflict } from "../messaging/errors.ts";
import { SETS } from "./parts/annotations.ts";
import { documentName } from "./parts/fields.ts";

/** Replaces the text of a shared document. */
export const documentWrite = defineTool({
  name: "document_write",
  title: "Write a document",
  description:
    "Replace the whole text of a shared document; to add to it, use document_append. With `if_revision` you get the current text instead, when somebody else has changed it since. With `owner` a document that nobody has written yet becomes yours: others can then only append or suggest.",
  annotations: SETS,
  needs: "document",
  input: z.strictObject({
    content: z.string().describe("The whole new text"),
    name: documentName.exactOptional(),
    if_revision: z
      .number()
      .int()
      .min(0)
      .exactOptional()
      .describe("The revision that you have read"),
    owner: z.boolean().exactOptional().describe("Become the owner of a new document"),
  }),
  call: async (input, context) => {
    const { content: text, name, if_revision: ifRevision, owner: claim } = input;
    try {
      const written = await context.editDocument({
        kind: "write",
        text,
        ...present({ name, ifRevision, claim }),
      });
      return { written: true, name: written.name, revision: written.revision };
    } catch (error) {
      if (!(error instanceof TroupeError) || error.code !== documentConflict.code) throw error;
      return toConflict(error, context, name);
    }
  },
});

/** What the writer needs to merge its change; nothing was written. */
function toConflict(error: TroupeError, context: ToolContext, given: string | undefined): Json {
  const { name, revision, text, by } = context.readDocument(given);
  return {
    written: false,
    note: `not written: ${error.message}; merge your change into content and write again with if_revision ${revision}`,
    name,
    revision,
    content: text,
    ...(by === undefined ? {} : { by }),
  };
}
