import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { READS } from "./parts/annotations.ts";
import { agentId, toStatusEntry } from "./parts/collab-fields.ts";

const MAX_IDS = 64;
const ids = z.array(agentId).max(MAX_IDS).exactOptional();
const seconds = z.number().min(0).exactOptional();

const input = z
  .strictObject({
    ids: ids.describe("Whom to wait for; all that you have spawned if absent or empty"),
    thread_ids: ids.describe("Another name for ids"),
    mode: z.enum(["all", "any"]).exactOptional().describe("Return when all are done, or any"),
    timeout_seconds: seconds.describe(
      "How long to wait; 300 if absent, unless this user has configured another time",
    ),
    timeout: seconds.describe("Another name for timeout_seconds"),
    timeout_ms: z.number().min(0).exactOptional().describe("The same in milliseconds"),
  })
  .refine((given) => given.ids === undefined || given.thread_ids === undefined, {
    path: ["ids"],
    error: "give either ids or thread_ids",
  });

/** Waits until agents of the caller's have nothing to do. */
export const wait = defineTool({
  name: "wait",
  title: "Wait for agents",
  description:
    "Wait until your agents are done and get what they answered. Returns the status of every one, also at the timeout (`timed_out`): completed, errored, interrupted and shutdown are final, pending_init and running are not. Call it again for those that are still at work; `effective_timeout_seconds` says how long it really waits.",
  annotations: READS,
  needs: "collab",
  input,
  call: async (given, context) => {
    const { mode = "all" } = given;
    const timeoutMs = timeoutOf(given);
    const { statuses, timedOut, effectiveTimeoutMs } = await context.collab.wait({
      ids: given.ids ?? given.thread_ids ?? [],
      mode,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    const told = Object.entries(statuses).map(([id, status]) => [id, toStatusEntry(status)]);
    return {
      statuses: Object.fromEntries(told),
      timed_out: timedOut,
      effective_timeout_seconds: effectiveTimeoutMs / 1000,
    };
  },
});

function timeoutOf(given: z.output<typeof input>): number | undefined {
  const { timeout_ms: ms, timeout_seconds: long, timeout: short } = given;
  const inSeconds = long ?? short;
  return ms ?? (inSeconds === undefined ? undefined : inSeconds * 1000);
}
