import type { RetryReason } from "../../contracts/backend.ts";
import { formatDuration } from "../../foundation/duration.ts";

/** Why a turn seems stuck. */
export type Observation =
  | { readonly kind: "silent"; readonly forMs: number }
  | { readonly kind: "repeating"; readonly tool: string; readonly times: number }
  | { readonly kind: "retrying"; readonly reason: RetryReason; readonly forMs: number };

const MAX_TOOL_CHARS = 80;

/** An observation in words that follow the name of the agent. */
export function tellObservation(observation: Observation): string {
  switch (observation.kind) {
    case "silent":
      return `no sign of life for ${formatDuration(observation.forMs)}`;
    case "repeating": {
      const tool = observation.tool.slice(0, MAX_TOOL_CHARS).toWellFormed();
      return `called ${tool} ${observation.times} times in a row with the same input`;
    }
    case "retrying":
      return `its model has not answered for ${formatDuration(observation.forMs)} (${observation.reason})`;
  }
}
