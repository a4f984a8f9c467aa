import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { ADDS } from "./parts/annotations.ts";
import {
  collabPrompt,
  hasOneTarget,
  ONE_TARGET,
  targetFields,
  targetOf,
  toCollabEntry,
} from "./parts/collab-fields.ts";

/** Gives an agent of the caller's more to do. */
export const sendInput = defineTool({
  name: "send_input",
  title: "Give an agent more to do",
  description:
    "Tell one of your agents something more: it takes that when its turn is over, in order, or at once with `interrupt`, which cuts off what it is doing. Agents that have completed or failed take new input too.",
  annotations: ADDS,
  needs: "collab",
  input: z
    .strictObject({
      ...targetFields,
      prompt: collabPrompt.describe("What it is to know or to do"),
      interrupt: z.boolean().exactOptional().describe("Cut off what it is doing"),
    })
    .refine(hasOneTarget, ONE_TARGET),
  call: async ({ prompt, interrupt = false, ...target }, context) =>
    toCollabEntry(await context.collab.send({ id: targetOf(target), prompt, interrupt })),
});
