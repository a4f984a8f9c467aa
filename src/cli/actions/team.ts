import type { Machine } from "../../app/machine/machine.ts";
import { teamFile } from "../../app/workflow/single-agent.ts";
import { present } from "../../foundation/present.ts";
import { startPrepared } from "../attend/start-prepared.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import type { OptionValues } from "../command/option.ts";
import { readCount } from "../command/read-count.ts";
import type { teamInputOptions } from "../commands/parts/run-input.ts";
import type { teamCommand } from "../commands/team.ts";
import { type AskedWorkflow, prepareRun } from "../prepare/prepare-run.ts";
import { assertArgv } from "../prepare/run-operands.ts";

/** `troupe team`: a leader and workers over a list of tasks. */
export const teamAction: ActionOf<typeof teamCommand> = (invocation) =>
  startPrepared(invocation, {
    exclusive: false,
    prepare: async (machine) => {
      const asked = await teamWorkflow(machine, invocation);
      return prepareRun(machine, invocation, { asked });
    },
  });

type TeamInput = OptionValues<typeof teamInputOptions>;

/** The workflow of a leader and its workers that a command line of `team` means. Raises USAGE_INVALID, BACKEND_UNKNOWN. */
async function teamWorkflow(
  machine: Machine,
  { args, rest, options }: Invocation<TeamInput>,
): Promise<AskedWorkflow> {
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
  return { workflow, task };
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
