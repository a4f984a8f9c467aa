import type { ActionOf } from "../command/command.ts";
import type { approveCommand } from "../commands/approve.ts";
import { decideItem } from "../decide/decide-item.ts";

/** `troupe approve` */
export const approveAction: ActionOf<typeof approveCommand> = (invocation) => {
  const { run, message, hash, always, edit, resume } = invocation.options;
  return decideItem(invocation, {
    verdict: "yes",
    run,
    comment: message,
    seen: hash,
    always,
    edits: edit,
    resumes: resume,
  });
};
