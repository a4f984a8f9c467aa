import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { ADDS } from "./parts/annotations.ts";
import { signalRefused } from "./parts/errors.ts";

/** Leaves a mark. */
export const deposit = defineTool({
  name: "deposit",
  title: "Leave a mark",
  description:
    "Leave a mark for the other agents: a number at a key, such as a path or a topic. Marks at the same key add up by the rule of the workflow, and may fade. The answer says what lies there now.",
  annotations: ADDS,
  needs: "trails",
  input: z.strictObject({
    key: z.string().regex(/^\S+$/, "expected one word").max(200).describe("Where, in one word"),
    value: z.number().describe("How strong"),
    namespace: z
      .string()
      .regex(/^[\w.-]{1,40}$/, "expected letters, digits, dots, dashes")
      .exactOptional()
      .describe("Another place than the usual one"),
  }),
  call: async ({ key, value, namespace }, context) => {
    const place = namespace === undefined ? "" : `[namespace=${namespace}] `;
    const given = { kind: "deposit", value: `${place}${key} ${value}` };
    const refused = await context.signal(given);
    if (refused !== undefined) throw signalRefused({ kind: "deposit", reason: refused });
    const { value: now } = await context.readTrail({ namespace, key });
    return { counted: true, key, value: now };
  },
});
