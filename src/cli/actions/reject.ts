import type { ActionOf } from "../command/command.ts";
import type { rejectCommand } from "../commands/reject.ts";
import { decideItem } from "../decide/decide-item.ts";

/** `troupe reject` */
export const rejectAction: ActionOf<typeof rejectCommand> = (invocation) => {
  const { run, message, hash, resume } = invocation.options;
  return decideItem(invocation, {
    verdict: "no",
    run,
    comment: message,
    seen: hash,
    always: false,
    edits: false,
    resumes: resume,
  });
};
