import type { Machine } from "../../app/machine/machine.ts";
import { defaultTarget } from "../../app/runs/default-target.ts";
import { resolveTarget, type Target } from "../../app/runs/resolve-target.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { readStdin } from "../prepare/read-input.ts";

/** What the operands of a message come to, before anything is looked up. */
export interface MessageOperands {
  /** Undefined where the default is meant. */
  readonly target: string | undefined;
  /** The text, or `-` for standard input. */
  readonly text: string;
}

// One word that only names somebody is no message to anybody.
const NAME_ALONE = /^@\S+$/u;

/** Reads `send TEXT`, `send TARGET TEXT` and `send TEXT --to TARGET`. Raises USAGE_INVALID. */
export function readMessageOperands(
  { args }: Pick<Invocation, "args">,
  to: string | undefined,
): MessageOperands {
  const [first, second] = args;
  if (first === undefined) throw messageMissing();
  if (second === undefined) {
    if (to === undefined && NAME_ALONE.test(first)) throw messageMissing();
    return { target: to, text: first };
  }
  if (to === undefined) return { target: first, text: second };
  throw usageInvalid({ problem: `the target is named twice: "${first}" and --to "${to}"` });
}

/** The text itself, standard input for `-`. Raises USAGE_INVALID for none, FILE_INPUT_TOO_LARGE. */
export async function readText(text: string, { io }: Pick<Invocation, "io">): Promise<string> {
  const read = text === "-" ? (await readStdin(io)).replace(/\r?\n$/u, "") : text;
  if (read.trim() !== "") return read;
  throw usageInvalid({ problem: "the message is empty; nothing was sent" });
}

/** The agent or run that is meant. Raises RUN_NOT_FOUND, RUN_AMBIGUOUS, RUN_TARGET_MISSING. */
export function findTarget(machine: Machine, given: string | undefined): Target {
  return given === undefined ? defaultTarget(machine) : resolveTarget(machine, given);
}

function messageMissing(): ReturnType<typeof usageInvalid> {
  return usageInvalid({
    problem: "the message is missing",
    hint: 'write it after the target: @agent "text", or - for standard input',
  });
}
