import type { Machine } from "../../app/machine/machine.ts";
import { teamFile } from "../../app/workflow/single-agent.ts";
import { present } from "../../foundation/present.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import type { OptionValues } from "../command/option.ts";
import { readCount } from "../command/read-count.ts";
import type { teamInputOptions } from "../commands/parts/run-input.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { assertArgv } from "./run-operands.ts";

type TeamInput = OptionValues<typeof teamInputOptions>;

/** The leader and its workers that a command line of `team` means; undefined: what is wrong was told. Raises USAGE_INVALID, BACKEND_UNKNOWN. */
export async function prepareTeam(
  machine: Machine,
  invocation: Invocation<TeamInput>,
): Promise<PreparedRun | undefined> {
  const { args, rest, options } = invocation;
  const { agent: backend, agents = "", model, workers: most, tasks, name } = options;
  const { notifications, maxRetries, turnTimeout } = options;
  const task = goalIn(args.slice(0, args.length - rest.length), options);
  if (backend !== undefined) assertArgv(backend, rest);
  else if (rest.length > 0)
    throw usageInvalid({
      problem: "a program after -- belongs to --agent command",
      hint: 'troupe team "GOAL" --agent command -- ./lead.sh',
    });
  const maxWorkers = most === undefined ? undefined : readCount(most, "--workers", 1);
  const workflow = await teamFile(machine, {
    leader: { backend, argv: rest },
    model,
    workers: agents.split(",").flatMap((each) => each.trim() || []),
    settings: present({ name, maxWorkers, taskFormat: tasks, notifications }),
    maxRetries: maxRetries === undefined ? undefined : readCount(maxRetries, "--max-retries"),
    turnTimeout,
  });
  return prepareRun(machine, invocation, { asked: { workflow, task } });
}

function goalIn(operands: readonly string[], { taskFile }: TeamInput): string | undefined {
  const [goal, ...more] = operands;
  if (more.length > 0)
    throw usageInvalid({
      problem: `too many arguments for 'team': ${more.map((text) => JSON.stringify(text)).join(" ")}`,
      hint: "put the goal into quotes; troupe help team shows what it takes",
    });
  if (goal === undefined && taskFile === undefined)
    throw usageInvalid({
      problem: "nothing says what the team is to reach",
      hint: 'write it in quotes: troupe team "port the parser"',
    });
  return goal;
}
