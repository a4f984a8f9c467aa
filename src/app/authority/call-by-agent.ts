import type { TroupeError } from "../../foundation/errors.ts";
import type { AgentAbove } from "../../host/agent-above.ts";
import { controlByAgent, decisionByAgent, speechByAgent } from "./errors.ts";

/** What a call comes to, so that a refusal says what its caller can do instead. */
export type PersonalAct = "decides" | "speaks" | "controls";

const REFUSALS = { decides: decisionByAgent, speaks: speechByAgent, controls: controlByAgent };

/** Why a call is refused to what stands below an agent. */
export function callByAgent(act: PersonalAct, command: string, above: AgentAbove): TroupeError {
  return REFUSALS[act]({ command, run: above.run ?? "a run" });
}
