import { z } from "zod";
import type { Action } from "../command.ts";
import { usageInvalid } from "../errors.ts";
import { decideItem } from "../inbox/decide-item.ts";

const rejectOptions = z.object({
  run: z.string().exactOptional(),
  message: z.string().exactOptional(),
});

/** `troupe reject` */
export const rejectAction: Action = async (invocation) => {
  const { run, message } = rejectOptions.parse(invocation.options);
  if (message === undefined)
    throw usageInvalid({ problem: "a rejection needs a reason", hint: 'add -m "why"' });
  return decideItem(invocation, { verdict: "no", run, comment: message });
};
