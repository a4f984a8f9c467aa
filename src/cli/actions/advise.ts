import { type Advice, advise } from "../../app/plan/advise.ts";
import { count } from "../../foundation/count.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { lookAtMachine } from "../command/open-machine.ts";
import { asCalled } from "../command/suggested-commands.ts";
import type { adviseCommand } from "../commands/advise.ts";

/** `troupe advise`: patterns for a goal, by its words alone. */
export const adviseAction: ActionOf<typeof adviseCommand> = async (invocation) => {
  const { args, options, io } = invocation;
  const [goal = ""] = args;
  if (goal.trim() === "")
    throw usageInvalid({
      problem: "the goal is empty",
      hint: 'troupe advise "fix the failing login test"',
    });
  const agents = readAgents(options.agents);
  const advice = await advise(lookAtMachine(invocation), goal, agents);
  if (options.json) io.stdout.write(`${JSON.stringify({ v: 1, goal, advice })}\n`);
  else io.stdout.write(`${linesOf(advice, invocation).join("\n")}\n`);
  return advice.length === 0 ? EXIT.failed : EXIT.completed;
};

function readAgents(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^[1-9]\d?$/.test(given) && Number(given) <= 64) return Number(given);
  throw usageInvalid({
    problem: `--agents takes a whole number from 1 to 64, got ${JSON.stringify(given)}`,
  });
}

function linesOf(
  advice: readonly Advice[],
  { settings }: Pick<Invocation, "settings">,
): readonly string[] {
  const { paint } = settings;
  const [first] = advice;
  if (first === undefined)
    return [
      "one agent: nobody is there to work together with",
      asCalled('begin: troupe run --agent claude "GOAL"'),
    ];
  const about = advice.flatMap(({ pattern, why, law, source, words, turns }) => [
    `${paint(pattern, "message")}  ${words.length === 0 ? "nothing in the goal speaks for another one" : `because of: ${words.join(", ")}`}`,
    `  why   ${why}`,
    `  law   ${law} (${source})`,
    `  cost  ${costOf(turns)} when nothing fails`,
  ]);
  return [
    ...about,
    "",
    `# ${first.pattern}.yaml`,
    first.workflow.trimEnd(),
    "",
    asCalled(`begin: troupe run ${first.pattern}.yaml "GOAL"`),
  ];
}

function costOf({ least, most }: Advice["turns"]): string {
  if (most === null) return `${count(least, "turn")} or more`;
  return least === most ? count(least, "turn") : `${least} to ${count(most, "turn")}`;
}
