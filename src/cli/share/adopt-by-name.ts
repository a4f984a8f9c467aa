import type { Machine } from "../../app/machine/machine.ts";
import { adoptRun, examineForeign, type ForeignRun } from "../../app/run/adopt-run.ts";
import { resolveRun } from "../../app/runs/run-lookup.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { Invocation } from "../command/command.ts";
import { confirm } from "../command/confirm.ts";
import { EXIT } from "../command/exit-codes.ts";

/** `troupe import RUN`: tells what a foreign run would execute, and makes it this user's own when she agrees. */
export async function adoptByName(
  machine: Machine,
  given: string,
  { invocation, isJson }: { readonly invocation: Invocation; readonly isJson: boolean },
): Promise<number> {
  const { io, settings } = invocation;
  const run = resolveRun(machine.store, given);
  const runs = examineForeign(machine, run);
  const tell = (text: string) => void (isJson || settings.isQuiet || io.stdout.write(`${text}\n`));
  if (runs.every(({ reason }) => reason === null)) {
    if (isJson) io.stdout.write(`${JSON.stringify({ v: 1, run, adopted: [] })}\n`);
    tell(`${run} is yours already`);
    return EXIT.completed;
  }
  for (const one of runs) tell(foreignLines(one).map(toPrintable).join("\n"));
  const isAgreed = await confirm(
    {
      question: `Make ${run} yours, so that it can be resumed and run all this?`,
      withoutTerminal: `look at it with troupe show ${run}, then: troupe import ${run} --yes`,
    },
    invocation,
  );
  if (!isAgreed) {
    tell("nothing was changed");
    return EXIT.failed;
  }
  const adopted = adoptRun(machine, run);
  if (isJson) io.stdout.write(`${JSON.stringify({ v: 1, run, adopted })}\n`);
  tell(`${run} is yours now: troupe ${runs[0]?.isOver === true ? "show" : "resume"} ${run}`);
  return EXIT.completed;
}

function foreignLines(foreign: ForeignRun): readonly string[] {
  const { run, workflow, instance, cwd, reason, isOver, agents, programs, ownSecrets, commands } =
    foreign;
  const indented = (name: string, texts: readonly string[]) =>
    texts.length === 0 ? [] : [`  ${name}`, ...texts.map((text) => `    ${text}`)];
  return [
    `${run}  ${workflow}@${instance}${reason === null ? "" : `: ${reason}`}`,
    `  works in ${cwd}${isOver ? "; it is over" : ""}`,
    ...indented(
      "agents",
      agents.map(({ id, backend }) => `${id} (${backend})`),
    ),
    ...indented("runs", programs),
    ...indented("gets what you have sealed in another run of yours", ownSecrets),
    ...indented("recorded in it, to take effect when it goes on", commands),
  ];
}
