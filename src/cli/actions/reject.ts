import { z } from "zod";
import type { Action } from "../command/command.ts";
import { decideItem } from "../decide/decide-item.ts";

const rejectOptions = z.object({
  run: z.string().exactOptional(),
  message: z.string().exactOptional(),
  hash: z.string().exactOptional(),
  resume: z.boolean().default(false),
});

/** `troupe reject` */
export const rejectAction: Action = (invocation) => {
  const { run, message, hash, resume } = rejectOptions.parse(invocation.options);
  return decideItem(invocation, {
    verdict: "no",
    run,
    comment: message,
    seen: hash,
    edits: false,
    resumes: resume,
  });
};
