import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";

/** Reads a part of a long text that a message refers to, or a result of a tool. */
export const resourceRead = defineTool({
  name: "resource_read",
  title: "Read a long text",
  description:
    "Read the rest of a message, or of a tool's result, that shows only a part: pass the `ref` and `offset` that stand with it. Go on with `next` of the answer as `offset`; without `next` the text is at its end.",
  annotations: READS,
  input: z.strictObject({
    ref: z.string().min(1).describe("As it stands with the message or result"),
    offset: z
      .number()
      .int()
      .min(0)
      .exactOptional()
      .describe("Characters to leave out; 0 if absent"),
    limit: z.number().int().min(1).exactOptional().describe("Most characters; 16000 if absent"),
  }),
  call: async (query, context) => {
    const { ref, text, offset, next, totalChars } = context.readResource(query);
    return {
      ref,
      offset,
      content: text,
      ...(next === undefined ? {} : { next }),
      total_chars: totalChars,
    };
  },
});
