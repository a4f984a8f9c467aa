import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";

/** Lists who takes part in the run. */
export const agentsList = defineTool({
  name: "agents_list",
  description: "List the agents of this run with their status. `you` is your own id.",
  isReadOnly: true,
  input: z.strictObject({}),
  call: async (_input, context) => ({
    you: context.agent,
    agents: context.agents().map(({ id, name, status }) => ({ id, name, status })),
  }),
});
