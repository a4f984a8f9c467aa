import type { Machine } from "../../app/machine/machine.ts";
import { collabFile } from "../../app/workflow/single-agent.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import type { OptionValues } from "../command/option.ts";
import type { collabInputOptions } from "../commands/parts/run-input.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { assertArgv } from "./run-operands.ts";

type CollabInput = OptionValues<typeof collabInputOptions>;

/** The agent that a command line of `collab` means; undefined: what is wrong was told. Raises USAGE_INVALID, BACKEND_UNKNOWN, COLLAB_KIND_UNKNOWN. */
export async function prepareCollab(
  machine: Machine,
  invocation: Invocation<CollabInput>,
): Promise<PreparedRun | undefined> {
  const { args, rest, options } = invocation;
  const { agent, model, turnTimeout } = options;
  const task = readGoal(args.slice(0, args.length - rest.length), options);
  if (agent !== undefined) assertArgv(agent, rest);
  else if (rest.length > 0)
    throw usageInvalid({
      problem: "a program after -- belongs to --agent command",
      hint: 'troupe collab "GOAL" --agent command -- ./lead.sh',
    });
  const roles = readRoles(options.agents);
  const asked = { agent, argv: rest, model, roles, turnTimeout };
  const workflow = await collabFile(machine, asked);
  return prepareRun(machine, invocation, { asked: { workflow, task } });
}

function readGoal(operands: readonly string[], { taskFile }: CollabInput): string | undefined {
  const [goal, ...more] = operands;
  if (more.length > 0)
    throw usageInvalid({
      problem: `too many arguments for 'collab': ${more.map((text) => JSON.stringify(text)).join(" ")}`,
      hint: "put the goal into quotes; troupe help collab shows what it takes",
    });
  if (goal === undefined && taskFile === undefined)
    throw usageInvalid({
      problem: "nothing says what is to be done",
      hint: 'write it after the command: troupe collab "find out why the build is slow"',
    });
  return goal;
}

function readRoles(written: string | undefined): readonly string[] | undefined {
  if (written === undefined) return undefined;
  const roles = written.split(",").map((name) => name.trim());
  if (!roles.includes("")) return [...new Set(roles)];
  throw usageInvalid({
    problem: `--agents must be roles with commas between them, got ${JSON.stringify(written)}`,
    hint: "write --agents worker,reviewer",
  });
}
