import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";

const MAX_SUMMARY_CHARS = 65_536;

/** Ends the work of a team. */
export const teamExit = defineTool({
  name: "team_exit",
  title: "End the work of the team",
  description:
    "End the team once all tasks are over, with what came of the goal. It is refused while tasks are open, unless you force it: then they are given up, and the run has failed.",
  annotations: SETS,
  needs: "program",
  input: z.strictObject({
    summary: z.string().min(1).max(MAX_SUMMARY_CHARS).describe("What came of the goal"),
    force: z.boolean().exactOptional().describe("Give up the open tasks. Default: false"),
  }),
  call: (input, context) => context.askProgram("team_exit", input),
});
