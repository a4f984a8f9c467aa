import { z } from "zod";
import type { OperationHandler } from "../contracts/operation.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { toJson } from "../foundation/json.ts";
import { postMessage } from "./post-message.ts";

const postInput = z.object({
  text: z.string(),
  to: z.array(z.string()).exactOptional(),
  channel: z.string().exactOptional(),
  threadId: z.string().exactOptional(),
  interrupt: z.boolean().exactOptional(),
  mentionsIn: z.string().exactOptional(),
});

/** `post`: the program speaks as `system`; the message and its outcome share a transaction. */
export function postHandler(runtime: RunRuntime, mainChannel: string): OperationHandler {
  return {
    kind: "post",
    effect: "journal",
    execute: (input, call) => {
      const { mentionsIn, ...draft } = postInput.parse(input);
      const named = mentionsIn === undefined ? {} : { mentionsIn };
      return toJson(
        postMessage(runtime, { from: "system", draft, key: call.key, mainChannel, ...named }),
        "a receipt",
      );
    },
  };
}
