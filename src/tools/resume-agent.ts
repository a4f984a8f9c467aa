import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";
import {
  collabPrompt,
  hasOneTarget,
  ONE_TARGET,
  targetFields,
  targetOf,
  toCollabEntry,
} from "./parts/collab-fields.ts";

/** Brings an agent of the caller's back. */
export const resumeAgent = defineTool({
  name: "resume_agent",
  title: "Bring an agent back",
  description:
    "Bring back one of your agents that was closed or has failed: it remembers what it did, or is told of it, and goes on with `prompt`, or with what it had not finished. It takes a place among the agents that may live at a time.",
  annotations: SETS,
  needs: "collab",
  input: z
    .strictObject({
      ...targetFields,
      prompt: collabPrompt.exactOptional().describe("What it is to do now"),
    })
    .refine(hasOneTarget, ONE_TARGET),
  call: async ({ prompt, ...target }, context) => {
    const told = prompt === undefined ? {} : { prompt };
    return toCollabEntry(await context.collab.resume({ id: targetOf(target), ...told }));
  },
});
