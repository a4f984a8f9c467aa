import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { present } from "../foundation/present.ts";
import { READS } from "./parts/annotations.ts";
import { documentName } from "./parts/fields.ts";

/** Reads a shared document; one that nobody has written yet is empty, at revision 0. */
export const documentRead = defineTool({
  name: "document_read",
  title: "Read a document",
  description:
    "Read a shared document with its revision. Pass that as `if_revision` when you write, so that you overwrite nobody's change.",
  annotations: READS,
  needs: "document",
  input: z.strictObject({ name: documentName.exactOptional() }),
  call: async ({ name }, context) => {
    const document = context.readDocument(name);
    const { revision, text, by, owner } = document;
    const others = context.listDocuments().map((each) => each.name);
    return {
      name: document.name,
      revision,
      content: text,
      ...present({ by, owner }),
      ...(revision > 0 || others.length === 0
        ? {}
        : { note: `nobody has written this one yet; there are: ${others.join(", ")}` }),
    };
  },
});
