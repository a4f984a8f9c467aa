import { z } from "zod";
import { defineModelTool } from "./model-tool.ts";

/** Begins planning: from here on the agent may only look. */
export const enterPlanModeTool = defineModelTool({
  name: "EnterPlanMode",
  description:
    "Begins planning: until ExitPlanMode you may look, and change nothing. Use it where a person should agree to the way before you go it.",
  hasEffect: true,
  isFree: true,
  input: z.object({}),
  prepare: async () => ({
    asks: {},
    run: async ({ plan }) => {
      await plan({ enter: true });
      return "You plan now: look, change nothing, then call ExitPlanMode with the plan.";
    },
  }),
});
