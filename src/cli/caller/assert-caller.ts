import type { PersonalAct } from "../../app/authority/call-by-agent.ts";
import type { CliCommand, Invocation } from "../command.ts";
import { personalOption } from "./personal-option.ts";

const ACTS: { readonly [what in NonNullable<CliCommand["actsOn"]>]: PersonalAct } = {
  run: "controls",
  many: "controls",
  agent: "speaks",
  addressee: "speaks",
  item: "decides",
};

/**
 * Keeps what stands below an agent from what is a person's (SEC-3), whatever its environment says, before anything of
 * the command is done. Resolves with the call as it may go on: a run that only a name told is told by its id. Raises
 * USAGE_DECISION_BY_AGENT, USAGE_SPEECH_BY_AGENT, USAGE_CONTROL_BY_AGENT.
 */
export async function assertCaller(
  command: CliCommand,
  invocation: Invocation,
): Promise<Invocation> {
  const { authority, actsOn, onlyReads } = command;
  if (authority === "reads" || onlyReads?.(invocation) === true) return invocation;
  const option = personalOption(command, invocation);
  if (authority === "own-run" && option === undefined) return invocation;
  const above = await invocation.io.agentAbove();
  if (above === undefined) return invocation;
  const { callByAgent } = await import("../../app/authority/call-by-agent.ts");
  if (option !== undefined)
    throw callByAgent("controls", `troupe ${command.name} ${option}`, above);
  const { withOwnRuns } = await import("./own-runs.ts");
  const allowed = actsOn === undefined ? undefined : withOwnRuns(actsOn, invocation, above);
  if (allowed !== undefined) return allowed;
  throw callByAgent(
    actsOn === undefined ? "controls" : ACTS[actsOn],
    nameOf(command, invocation),
    above,
  );
}

/** `troupe daemon stop` says more than `troupe daemon`. */
function nameOf({ name, arguments: [first] = [] }: CliCommand, { args }: Invocation): string {
  return ["troupe", name, ...(first?.choices === undefined ? [] : args.slice(0, 1))].join(" ");
}
