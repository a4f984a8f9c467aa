import type { StopReason } from "../../../../contracts/backend.ts";
import type { Usage } from "../../../../contracts/usage.ts";
import { isRecord } from "../../../../foundation/json.ts";

type Reply = { readonly [name: string]: unknown };

/** Why the program ended a turn; an unknown word is an end like any other. */
export function stopReasonOf({ stopReason }: Reply): StopReason {
  switch (stopReason) {
    case "cancelled":
    case "refusal":
    case "max_tokens":
      return stopReason;
    case "max_turn_requests":
      return "max_turns";
    default:
      return "end_turn";
  }
}

/** What the reply says of the turn's use; nothing where it says nothing. */
export function replyUsage({ usage }: Reply): Usage {
  if (!isRecord(usage)) return {};
  const [uncached, output] = [countOf(usage["inputTokens"]), countOf(usage["outputTokens"])];
  const cached = countOf(usage["cachedReadTokens"]);
  const inputs = [uncached, cached, countOf(usage["cachedWriteTokens"])];
  return {
    ...(uncached === undefined ? {} : { inputTokens: sum(inputs) }),
    ...(output === undefined
      ? {}
      : { outputTokens: sum([output, countOf(usage["thoughtTokens"])]) }),
    ...(cached === undefined ? {} : { cachedTokens: cached }),
  };
}

function countOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function sum(counts: readonly (number | undefined)[]): number {
  return counts.reduce<number>((total, count) => total + (count ?? 0), 0);
}
