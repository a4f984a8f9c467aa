import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";
import { signalRefused } from "./parts/errors.ts";

/** Hands the task over. */
export const handoffTool = defineTool({
  name: "handoff",
  title: "Hand the task over",
  description:
    "Hand the task that you hold to another agent, with the reason; it gets the task and all that was answered so far. End your turn afterwards. The answer says how many hand-overs are left then.",
  annotations: SETS,
  gives: "handoff",
  input: z.strictObject({
    agent: z.string().min(1).describe("Id of the agent that gets the task"),
    reason: z.string().min(1).describe("Why it suits that agent better"),
  }),
  call: async ({ agent, reason }, context) => {
    const left = context.handoffsLeft();
    if (left === 0)
      throw signalRefused({ kind: "handoff", reason: "no hand-over is left, so finish the task" });
    const value = agent.replace(/^@/, "");
    const refused = await context.signal({ kind: "handoff", value, reason });
    if (refused !== undefined) throw signalRefused({ kind: "handoff", reason: refused });
    return { counted: true, agent: value, ...(left === undefined ? {} : { left: left - 1 }) };
  },
});
