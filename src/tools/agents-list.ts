import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";

/** Lists who takes part in the run. */
export const agentsList = defineTool({
  name: "agents_list",
  title: "List agents",
  description:
    "List the agents of this run with their status and what each says it is doing. `you` is your own id. Use it to learn whom you can mention or write to.",
  annotations: READS,
  input: z.strictObject({}),
  call: async (_input, context) => ({
    you: context.agent,
    agents: context.agents().map(({ id, name, status, statusText }) => ({
      id,
      name,
      status,
      ...(statusText === undefined ? {} : { status_text: statusText }),
    })),
  }),
});
