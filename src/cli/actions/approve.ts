import { z } from "zod";
import type { Action } from "../command.ts";
import { decideItem } from "../inbox/decide-item.ts";

const approveOptions = z.object({
  run: z.string().exactOptional(),
  message: z.string().exactOptional(),
});

/** `troupe approve` */
export const approveAction: Action = (invocation) => {
  const { run, message } = approveOptions.parse(invocation.options);
  return decideItem(invocation, { verdict: "yes", run, comment: message });
};
