import { z } from "zod";
import type { Action } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { callToolOfRun, findDoor } from "../context/agent-door.ts";
import { readCall } from "../context/read-call.ts";
import { isDone, toolResultLines } from "../context/result-lines.ts";

const contextOptions = z.object({
  agent: z.string().exactOptional(),
  json: z.boolean().default(false),
  to: z.array(z.string()).exactOptional(),
  channel: z.string().exactOptional(),
  interrupt: z.literal(true).exactOptional(),
  force: z.literal(true).exactOptional(),
  since: z.string().exactOptional(),
  limit: z.string().exactOptional(),
  unread: z.literal(true).exactOptional(),
  name: z.string().exactOptional(),
  ifRevision: z.string().exactOptional(),
});

/** `troupe context`: exit code 1 when others came first, and nothing was sent or written. */
export const contextAction: Action = async (invocation) => {
  const { agent, json, ...options } = contextOptions.parse(invocation.options);
  const { io } = invocation;
  const door = findDoor("context", agent, io);
  const { tool, input } = await readCall(invocation.args, options, invocation);
  const result = await callToolOfRun(door, tool, input);
  const lines = json ? [JSON.stringify({ v: 1, result })] : toolResultLines(result);
  for (const line of lines) io.stdout.write(`${line}\n`);
  return isDone(result) ? EXIT.completed : EXIT.failed;
};
