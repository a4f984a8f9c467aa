import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { present } from "../foundation/present.ts";
import { SETS } from "./parts/annotations.ts";
import { signalRefused } from "./parts/errors.ts";

/** Bids for a task. */
export const bid = defineTool({
  name: "bid",
  title: "Bid",
  description:
    "Bid for the task that is auctioned. Until the round is over you may bid again; your last bid counts. Whoever wins has to do the task.",
  annotations: SETS,
  gives: "bid",
  input: z.strictObject({
    approach: z.string().min(1).max(4000).describe("How you would do it"),
    confidence: z.number().min(0).max(1).exactOptional().describe("How sure you are, 0 to 1"),
    cost: z.number().min(0).exactOptional().describe("What it would cost"),
    time: z
      .string()
      .regex(/^[^\]\r\n]{1,40}$/, "expected a few words without ]")
      .exactOptional()
      .describe("How long it would take, such as 10m"),
  }),
  call: async ({ approach, cost, time, confidence }, context) => {
    const tags = Object.entries({ cost, time })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `[${name}=${value}] `);
    const value = `${tags.join("")}${approach}`;
    const given = { kind: "bid", value, ...present({ confidence }) };
    const refused = await context.signal(given);
    if (refused !== undefined) throw signalRefused({ kind: "bid", reason: refused });
    return { counted: true };
  },
});
