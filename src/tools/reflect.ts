import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";
import { signalRefused } from "./parts/errors.ts";

/** What an agent makes of the work, and what is to change. */
export const reflect = defineTool({
  name: "reflect",
  title: "Reflect",
  description:
    "Say what you make of the work of all so far. If you were asked to reflect, `adjustments` say what is to change: reassign gives an agent another part (content), message tells it something, release ends it, spawn starts one more (agent is its new id, content its part). At other times they change nothing.",
  annotations: SETS,
  needs: "reflection",
  input: z.strictObject({
    synthesis: z.string().min(1).max(4000).describe("What you make of the work so far"),
    adjustments: z
      .array(
        z.strictObject({
          agent: z.string().min(1).max(200).describe("Id of the agent"),
          action: z.enum(["reassign", "release", "message", "spawn"]).describe("What is done"),
          content: z.string().max(32_768).exactOptional().describe("Its part, or the message"),
        }),
      )
      .max(20)
      .exactOptional()
      .describe("What is to change"),
  }),
  call: async ({ synthesis, adjustments = [] }, context) => {
    const changes =
      adjustments.length === 0 ? "" : `\n\n\`\`\`json\n${JSON.stringify({ adjustments })}\n\`\`\``;
    const refused = await context.signal({ kind: "reflect", value: `${synthesis}${changes}` });
    if (refused !== undefined) throw signalRefused({ kind: "reflect", reason: refused });
    return { counted: true };
  },
});
