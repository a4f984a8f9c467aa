import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { SETS } from "./parts/annotations.ts";

const MAX_MESSAGE_CHARS = 2000;
const MAX_SHOW_CHARS = 262_144;
/** Clients of the protocol give up after a minute. */
const DEFAULT_WAIT_SECONDS = 50;
const MAX_WAIT_SECONDS = 3600;

/** Asks a person to approve something. */
export const approvalRequest = defineTool({
  name: "approval_request",
  title: "Ask a person for approval",
  description:
    "Ask a person to approve something before you do it. Waits up to `wait_seconds`. If it answers `waiting`, do something else or call it again with the same message and show, which goes on waiting for the same request. A decision that comes while you are not waiting reaches you as a message. Only a person can approve.",
  annotations: SETS,
  input: z.strictObject({
    message: z.string().trim().min(1).max(MAX_MESSAGE_CHARS).describe("What you want to do"),
    show: z
      .json()
      .refine((value) => JSON.stringify(value).length <= MAX_SHOW_CHARS, {
        error: `at most ${MAX_SHOW_CHARS} characters as JSON`,
      })
      .exactOptional()
      .describe("Exactly what is to be approved: a diff, a command, data"),
    wait_seconds: z
      .number()
      .min(0)
      .max(MAX_WAIT_SECONDS)
      .exactOptional()
      .describe("How long to wait; 50 if absent, 0 to ask only"),
  }),
  call: async ({ message, show, wait_seconds: seconds = DEFAULT_WAIT_SECONDS }, context) => {
    const answer = await context.requestApproval({
      message,
      waitMs: Math.round(seconds * 1000),
      ...(show === undefined ? {} : { show }),
    });
    if (answer.status !== "waiting") return { ...answer };
    const note =
      "nobody has decided yet; call again with the same message and show to go on waiting";
    return { ...answer, note };
  },
});
