import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { present } from "../foundation/present.ts";
import { READS } from "./parts/annotations.ts";

/** Lists the documents that somebody has written. */
export const documentList = defineTool({
  name: "document_list",
  title: "List documents",
  description:
    "List the shared documents of this run with their revision, who changed each last, and who owns it.",
  annotations: READS,
  needs: "document",
  input: z.strictObject({}),
  call: async (_input, context) => ({
    documents: context.listDocuments().map(({ name, revision, text, by, owner }) => ({
      name,
      revision,
      chars: text.length,
      ...present({ by, owner }),
    })),
  }),
});
