import type { AgentFunctionInput } from "../../../../src/contracts/agent-function.ts";
import { defineError } from "../../../../src/foundation/errors.ts";
import { isRecord, type Json } from "../../../../src/foundation/json.ts";

/** What an agent does when it is given this. */
export type Answer =
  | { readonly kind: "fails"; readonly code: string; readonly isRetryable: boolean }
  | { readonly kind: "says"; readonly text: string; readonly data: Json };

const again = defineError("TEST_AGAIN", {
  message: () => "not this time",
  retryable: true,
  about: "Thrown by this test.",
});
const never = defineError("TEST_NEVER", {
  message: () => "never",
  about: "Thrown by this test.",
});

/**
 * The answer depends on place, whether it is a retry, and all that the agent is given: whoever gives it something else
 * notices. The number of the attempt is nothing to depend on: it rises with every start, also after a crash.
 */
export function answerTo(path: string, isRetry: boolean, input: Json): Answer {
  const number = hashOf(`${path}@${isRetry ? 2 : 1}:${JSON.stringify(comparable(input))}`);
  switch (number % 9) {
    case 0:
      return { kind: "fails", code: "TEST_AGAIN", isRetryable: true };
    case 1:
      return { kind: "fails", code: "TEST_NEVER", isRetryable: false };
    case 2:
      return { kind: "says", text: `text ${number}`, data: { result: `text ${number}` } };
    case 3: {
      const data = { n: number % 6, list: [number % 10, "b"] };
      return { kind: "says", text: `Here:\n\`\`\`json\n${JSON.stringify(data)}\n\`\`\``, data };
    }
    default: {
      const data = { n: number % 6, list: [] };
      return { kind: "says", text: JSON.stringify(data), data };
    }
  }
}

/** The function of an agent that answers so. */
export function answeringAgent({ step = "", previousError, task }: AgentFunctionInput): string {
  const answer = answerTo(step, previousError !== undefined, JSON.parse(task));
  if (answer.kind === "says") return answer.text;
  throw answer.isRetryable ? again({}) : never({});
}

/** A value without what differs from run to run or is written for people: durations, texts of errors. */
export function comparable(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(comparable);
  if (!isRecord(value)) return null;
  const members: [string, Json][] = Object.entries(value);
  const isError = "code" in value && "message" in value;
  return Object.fromEntries(
    members.flatMap(([key, member]) => {
      if (key === "durationMs" || (isError && key === "message")) return [];
      return [[key, comparable(member)] as const];
    }),
  );
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}
