import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";

const MAX_CHARS = 200;
const BLANKS_PATTERN = /\s+/g;

/** Says what the caller is doing. */
export const statusSet = defineTool({
  name: "status_set",
  title: "Say what you are doing",
  description:
    "Show people and other agents in one line what you are doing, such as `running the tests`. It replaces what you said before and wakes nobody. An empty text takes it back.",
  annotations: SETS,
  input: z.strictObject({
    status: z.string().max(MAX_CHARS).describe("One line"),
  }),
  call: async ({ status }, context) => {
    const text = status.replace(BLANKS_PATTERN, " ").trim();
    context.setStatus(text);
    return { status: text };
  },
});
