import { RequestError } from "@agentclientprotocol/sdk";
import { toAcpError } from "../../../../src/agents/backends/parts/acp/acp-error.ts";
import type { AcpDialect } from "../../../../src/agents/backends/parts/acp/acp-launch.ts";
import { replyUsage, stopReasonOf } from "../../../../src/agents/backends/parts/acp/read-reply.ts";
import { createUpdateReader } from "../../../../src/agents/backends/parts/acp/update-reader.ts";
import type { TurnReader } from "../../../../src/agents/backends/parts/turn-reader.ts";
import type { TurnUpdate } from "../../../../src/contracts/backend.ts";
import { toErrorReport } from "../../../../src/foundation/errors.ts";
import { isRecord } from "../../../../src/foundation/json.ts";

type Message = { readonly [name: string]: unknown };

/** A reader of what a program printed during one turn; what it was answered is not among its lines. */
export function createAcpTranscriptReader(dialect: AcpDialect): TurnReader {
  const reader = createUpdateReader(dialect);
  const { usageOf = replyUsage } = dialect;
  const toStop = (reply: Message): readonly TurnUpdate[] => {
    const usage = usageOf(reply);
    const told = Object.keys(usage).length === 0 ? [] : [{ type: "usage", usage } as const];
    return [...told, { type: "stop", reason: stopReasonOf(reply), text: reader.text }];
  };
  return {
    take: (line) => {
      const { method, params, result, error } = parse(line);
      if (method === "session/update") return reader.take(params);
      if (method === "session/request_permission") {
        const call = isRecord(params) ? params["toolCall"] : undefined;
        return isRecord(call) ? reader.ask(call).told : [];
      }
      if (isRecord(result)) return toStop(result);
      return isRecord(error) ? [toError(error)] : [];
    },
  };
}

function toError({ code, message, data }: Message): TurnUpdate {
  const text = typeof message === "string" ? message : JSON.stringify(message ?? "");
  const refusal = new RequestError(typeof code === "number" ? code : 0, text, data);
  return { type: "error", error: toErrorReport(toAcpError(refusal, "worker")) };
}

function parse(line: string): Message {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
