import type { RunRuntime } from "../../src/engine/run-runtime.ts";
import { TroupeError } from "../../src/foundation/errors.ts";

/** `ok`, or the code that the promise rejects with. */
export function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "ok",
    (error: unknown) => (error instanceof TroupeError ? error.code : String(error)),
  );
}

/** Carries `post` out as a journal operation. */
export function postHandler(runtime: RunRuntime): void {
  runtime.register({
    kind: "post",
    effect: "journal",
    execute: (input, call) => {
      const text =
        typeof input === "object" && input !== null && "text" in input ? input["text"] : "";
      const { seq } = runtime.append({
        type: "message-posted",
        id: call.op,
        from: "system",
        text: String(text),
        mentions: [],
        signals: [],
      });
      return { id: call.op, seq, recipients: [], unknownMentions: [] };
    },
  });
}

/** The rejections that nobody handled while `work` ran. */
export async function unhandledRejectionsOf(
  work: () => Promise<void>,
): Promise<readonly unknown[]> {
  const unhandled: unknown[] = [];
  const listen = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", listen);
  try {
    await work();
  } finally {
    process.off("unhandledRejection", listen);
  }
  return unhandled;
}
