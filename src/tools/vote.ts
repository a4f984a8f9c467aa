import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";
import { signalRefused } from "./parts/errors.ts";

/** Votes. */
export const vote = defineTool({
  name: "vote",
  title: "Vote",
  description:
    "Vote on the proposal that you were asked about: approve or reject, and why. Until the vote closes you may vote again; your last vote counts.",
  annotations: SETS,
  gives: "vote",
  input: z.strictObject({
    vote: z.enum(["approve", "reject"]).describe("approve or reject"),
    reason: z.string().exactOptional().describe("Why"),
  }),
  call: async ({ vote: value, reason }, context) => {
    const given = { kind: "vote", value, ...(reason === undefined ? {} : { reason }) };
    const refused = await context.signal(given);
    if (refused !== undefined) throw signalRefused({ kind: "vote", reason: refused });
    return { counted: true, vote: value };
  },
});
