import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { present } from "../foundation/present.ts";
import { SETS } from "./parts/annotations.ts";
import { signalRefused } from "./parts/errors.ts";

/** Gives a structured signal. */
export const signal = defineTool({
  name: "signal",
  title: "Give a signal",
  description:
    "Tell the workflow something that it acts on, instead of writing it as a line like `DONE: <summary>`: `done` with a summary as value when your task is complete, `blocked` or `failed` with the reason, `vote` with approve or reject, `handoff` with the id of an agent, `progress` with a percentage, or the marker that your task asks for. It counts before the text form.",
  annotations: SETS,
  input: z.strictObject({
    kind: z.string().min(1).describe("done, blocked, failed, vote, handoff, progress, ..."),
    value: z.string().exactOptional().describe("Its payload: a summary, approve, an id, 40%"),
    reason: z.string().exactOptional().describe("Why: of a vote or a handoff"),
    confidence: z.number().exactOptional().describe("0 to 1: of done or bid"),
  }),
  call: async ({ kind, value = "", reason, confidence }, context) => {
    const refused = await context.signal({
      kind,
      value,
      ...present({ reason, confidence }),
    });
    if (refused !== undefined) throw signalRefused({ kind, reason: refused });
    return { counted: true, kind };
  },
});
