import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";
import {
  hasOneTarget,
  ONE_TARGET,
  targetFields,
  targetOf,
  toStatusEntry,
} from "./parts/collab-fields.ts";

/** Ends an agent of the caller's and all below it. */
export const closeAgent = defineTool({
  name: "close_agent",
  title: "Close an agent",
  description:
    "End one of your agents and all that it has spawned: what it is doing is cut off, and others can take its place. Returns the status that it had. Closing it again changes nothing.",
  annotations: SETS,
  needs: "collab",
  input: z.strictObject(targetFields).refine(hasOneTarget, ONE_TARGET),
  call: async (target, context) => {
    const { id, previous, closed, ending } = await context.collab.close(targetOf(target));
    return {
      id,
      previous_status: toStatusEntry(previous),
      closed,
      ...(ending.length === 0 ? {} : { still_ending: ending }),
    };
  },
});
