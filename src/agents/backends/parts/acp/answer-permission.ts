import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { AgentSpec } from "../../../../contracts/agent.ts";
import { isRecord } from "../../../../foundation/json.ts";
import type { AcpTurn } from "./acp-turn.ts";
import { callIdOf } from "./tool-call.ts";

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };

/**
 * Answers one permission request. Troupe decides, each time: nothing is allowed for longer than once. Its
 * own tools see for themselves who may call them.
 */
export async function answerPermission(
  params: { readonly [name: string]: unknown },
  { work, reader, notes }: AcpTurn,
  spec: AgentSpec,
): Promise<RequestPermissionResponse> {
  const { toolCall } = params;
  if (!isRecord(toolCall)) return CANCELLED;
  const { use, told } = reader.ask(toolCall);
  for (const update of told) work.emit(update);
  const deny = (reason: string) => {
    for (const update of reader.deny(toolCall, reason)) work.emit(update);
    return choose(params, "reject_once");
  };
  if (use.isOwn) return choose(params, "allow_once");
  if (spec.tools !== undefined && !spec.tools.includes(use.tool))
    return deny(`${use.tool} is none of the tools of this agent`);
  try {
    const call = callIdOf(toolCall);
    const { tool, input } = use;
    const { client } = work;
    const { decision, comment } = await client.requestPermission(tool, input, { told: call });
    if (decision === "allowed") return choose(params, "allow_once");
    if (comment !== undefined) notes.push(`The use of ${tool} was denied: ${comment}`);
    return deny(comment ?? "denied");
  } catch (error) {
    if (!work.signal.aborted) throw error;
    return CANCELLED;
  }
}

/** What the program gave no option for does not happen. */
function choose(
  { options }: { readonly [name: string]: unknown },
  kind: "allow_once" | "reject_once",
): RequestPermissionResponse {
  const given: readonly unknown[] = Array.isArray(options) ? options : [];
  const optionId = given.filter(isRecord).find((option) => option["kind"] === kind)?.["optionId"];
  return typeof optionId === "string" ? { outcome: { outcome: "selected", optionId } } : CANCELLED;
}
