import type { TroupeError } from "../../foundation/errors.ts";
import type { AgentAbove } from "../../host/agent-above.ts";
import { controlByAgent, decisionByAgent, speechByAgent } from "./errors.ts";

/** What a call comes to, so that a refusal says what its caller can do instead. */
export type PersonalAct = "decides" | "speaks" | "controls";

const REFUSALS = { decides: decisionByAgent, speaks: speechByAgent, controls: controlByAgent };

/** Why a call is refused to what stands below an agent. */
export function callByAgent(act: PersonalAct, command: string, above: AgentAbove): TroupeError {
  return REFUSALS[act]({ command, run: above.run ?? runInWords(above) });
}

/** A person whose shell has such a limit learns here what to do about it. */
function runInWords({ unknownLimit }: AgentAbove): string {
  if (unknownLimit === undefined) return "a run";
  return `an unknown run (the limit of file locks is ${unknownLimit}, which is no mark of Troupe; a person's is unlimited, see prlimit -p $$ -x)`;
}
