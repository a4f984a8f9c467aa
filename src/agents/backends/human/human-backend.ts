import type { AgentBackend, BackendProblem, TurnRequest } from "../../../contracts/backend.ts";
import { type TerminalUpdate, TurnGate, type TurnWork } from "../parts/turn-gate.ts";

/**
 * The backend whose agent is a person: a turn puts its prompt into the inbox and ends with the answer, or
 * when it is cut off. Nothing that agents or tools do answers for the person.
 */
export function createHumanBackend(): AgentBackend {
  return {
    name: "human",
    metering: "free",
    conventions: "none",
    demandsSignal: false,
    toolCallTimeoutMs: Infinity,
    takesMessages: true,
    isPerson: true,
    runsInProcess: true,
    check: async (spec) => (spec.model === undefined ? [] : [HAS_MODEL]),
    open: async ({ spec, session }) => {
      const gate = new TurnGate({ agent: spec.id, session });
      return {
        prompt: (turn) => gate.run(turn, askPerson),
        close: () => gate.close(),
      };
    },
  };
}

const HAS_MODEL: BackendProblem = {
  message: "a person answers for it, who has no model",
  hint: "remove model, or choose a backend that runs a model",
};

async function askPerson({ request, client, emit }: TurnWork): Promise<TerminalUpdate> {
  const text = await client.ask(toQuestion(request));
  emit({ type: "text-delta", text });
  return { type: "stop", reason: "end_turn", text };
}

/** People are asked like other agents, but they are told at once why they are asked again. */
function toQuestion({ prompt, previousError }: TurnRequest): string {
  if (previousError === undefined) return prompt;
  return `The attempt before this one did not pass: ${previousError}\n\n${prompt}`;
}
