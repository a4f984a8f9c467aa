import { z } from "zod";
import { ToolFailure } from "../files/tool-failure.ts";
import { defineModelTool } from "./model-tool.ts";

const MAX_PLAN_CHARS = 65_536;
const input = z.object({
  plan: z
    .string()
    .min(1)
    .max(MAX_PLAN_CHARS)
    .describe("What you will do, step by step, as Markdown."),
});

/** Shows a plan to a person, who lets the agent go on or says why not. */
export const exitPlanModeTool = defineModelTool({
  name: "ExitPlanMode",
  description:
    "Shows your plan to a person and waits. Once it is approved of you may carry it out.",
  hasEffect: false,
  isFree: true,
  input,
  prepare: async ({ plan: text }) => ({
    asks: { plan: text },
    run: async ({ plan }) => {
      const { isApproved, comment } = await plan({ plan: text });
      const said = comment === undefined ? "" : `: ${comment}`;
      if (isApproved) return `The plan is approved of${said}. Carry it out.`;
      throw new ToolFailure(
        `the plan is rejected${said}. You still plan: change it and show it again.`,
      );
    },
  }),
});
