import type { PersonalAct } from "../../app/authority/call-by-agent.ts";
import type { CliCommand, Invocation } from "../command/command.ts";
import { type OptionSpec, optionKey, toFlag } from "../command/option.ts";

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
  if (onlyReads?.(invocation) === true) return invocation;
  const option = personalOption(command, invocation);
  // A command that only reads may have an option that does more.
  if ((authority === "own-run" || authority === "reads") && option === undefined) return invocation;
  const above = await invocation.io.agentAbove();
  if (above === undefined) return invocation;
  const { refuseCall } = await import("../../app/authority/refuse-call.ts");
  const place = { cwd: invocation.settings.cwd, env: invocation.io.env };
  if (option !== undefined)
    return refuseCall(
      { act: "controls", command: `troupe ${command.name} ${option}`, above },
      place,
    );
  const { withOwnRuns } = await import("./own-runs.ts");
  const allowed = actsOn === undefined ? undefined : withOwnRuns(actsOn, invocation, above);
  if (allowed !== undefined) return allowed;
  const act = actsOn === undefined ? "controls" : ACTS[actsOn];
  return refuseCall({ act, command: nameOf(command, invocation), above }, place);
}

/** `troupe daemon stop` says more than `troupe daemon`. */
function nameOf({ name, arguments: [first] = [] }: CliCommand, { args }: Invocation): string {
  return ["troupe", name, ...(first?.choices === undefined ? [] : args.slice(0, 1))].join(" ");
}

/** The first option of a call that is a person's word, as it would be typed; undefined without one. */
function personalOption(
  { options: specs = [] }: Pick<CliCommand, "options">,
  { options }: Pick<Invocation, "options">,
): string | undefined {
  for (const spec of specs) {
    const name = optionKey(spec);
    const given = options[name];
    if (isPersonal(spec, given))
      return typeof given === "string" ? `${toFlag(name)} ${given}` : toFlag(name);
  }
  return undefined;
}

function isPersonal({ isPersonal: rule }: OptionSpec, given: unknown): boolean {
  if (rule === undefined || given === undefined || given === false) return false;
  return rule === true || (typeof given === "string" && rule.includes(given));
}
