import { z } from "zod";
import type { Action } from "../command/command.ts";
import { decideItem } from "../decide/decide-item.ts";

const approveOptions = z.object({
  run: z.string().exactOptional(),
  message: z.string().exactOptional(),
  hash: z.string().exactOptional(),
  edit: z.boolean().default(false),
  resume: z.boolean().default(false),
});

/** `troupe approve` */
export const approveAction: Action = (invocation) => {
  const { run, message, hash, edit, resume } = approveOptions.parse(invocation.options);
  return decideItem(invocation, {
    verdict: "yes",
    run,
    comment: message,
    seen: hash,
    edits: edit,
    resumes: resume,
  });
};
