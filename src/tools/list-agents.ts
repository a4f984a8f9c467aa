import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";

/** Lists the agents that the caller deals with. */
export const listAgents = defineTool({
  name: "list_agents",
  title: "List your agents",
  description:
    "List the agents that you have spawned, all below them, and those that report to you, with their statuses. Takes no answer from anybody: that is what `wait` is for.",
  annotations: READS,
  needs: "collab",
  input: z.strictObject({}),
  call: async (_input, context) => ({
    agents: (await context.collab.list()).map(({ id, name, status, parent, backend }) => ({
      id,
      name,
      status,
      parent,
      backend,
    })),
  }),
});
