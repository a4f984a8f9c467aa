import { TroupeError } from "../../foundation/errors.ts";
import { findSandbox } from "../../host/sandbox/sandbox.ts";
import type { Machine } from "../machine/machine.ts";
import type { Check } from "./finding.ts";

/** Whether agents with `isolation: sandbox` can be confined here. */
export function checkSandbox({ env }: Pick<Machine, "env">): Check {
  const subject = "sandbox";
  return {
    subject,
    look: async () => {
      try {
        const file = await findSandbox(env["PATH"]);
        const text = `${file}: home, sockets and processes of others hidden, calls filtered`;
        return [{ subject, status: "ok", text }];
      } catch (error) {
        if (!(error instanceof TroupeError)) throw error;
        const text = `${error.message}: isolation: sandbox is refused`;
        const hint = "install bubblewrap, if workflows ask for it";
        return [{ subject, status: "note", text, hint }];
      }
    },
  };
}
