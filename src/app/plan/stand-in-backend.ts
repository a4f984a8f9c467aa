import type { AgentBackend, TurnRequest } from "../../contracts/backend.ts";
import { present } from "../../foundation/present.ts";

/** What the stand-in takes over from the backend in whose place it answers. */
export type StandInTraits = Pick<
  AgentBackend,
  "name" | "conventions" | "demandsSignal" | "takesMessages" | "toolPrefix"
>;

/** How agents are told their conventions on a backend that this version does not have. */
export function unknownTraits(name: string): StandInTraits {
  return { name, conventions: "text", demandsSignal: true, takesMessages: true };
}

/** A backend that starts nothing: every turn ends at once with the text that `answer` gives. */
export function createStandIn(
  { name, conventions, demandsSignal, takesMessages, toolPrefix }: StandInTraits,
  answer: (request: TurnRequest) => string,
): AgentBackend {
  return {
    name,
    conventions,
    demandsSignal,
    takesMessages,
    ...present({ toolPrefix }),
    metering: "free",
    check: () => Promise.resolve([]),
    open: () =>
      Promise.resolve({
        prompt: async function* (request) {
          yield { type: "stop", reason: "end_turn", text: answer(request) };
        },
        close: () => Promise.resolve(),
      }),
  };
}
