import type { EventOf } from "../../../contracts/event.ts";
import { answerCommands, describeItem } from "../answer-commands.ts";
import type { Line, LineContext, LineTable } from "../line-table.ts";
import { endSentence, resumeCommand, suspensionSentence } from "../run-sentences.ts";

/** The life of the run, and what its program and user code say. */
export const runLines: LineTable = {
  "run-started": (_, { state }) => [run(`${title(state)} started`)],
  "run-resumed": (_, { state }) => [run(`${title(state)} resumed`)],
  "run-suspended": (event, context) => [
    run(suspensionSentence(context, event)),
    ...(event.reason === "waiting" ? waitingLines(event, context) : []),
  ],
  "run-ended": (event, context) => [
    run(endSentence(context, event)),
    ...(event.resumable ? [run(`to go on: ${resumeCommand(context.state)}`)] : []),
  ],
  "cancellation-requested": ({ by, reason }, { glyphs, excerpt }) => [
    run(`${glyphs.failed} cancellation by ${excerpt(by)}: ${excerpt(reason)}`),
  ],
  "pattern-advanced": ({ kind, data }, { glyphs, excerpt }) => [
    run(`${glyphs.working} ${excerpt(`${kind} ${data === null ? "" : JSON.stringify(data)}`)}`),
  ],
  log: ({ level, text }, { glyphs, excerpt }) => {
    const sign = {
      info: "",
      warning: `${glyphs.attention} warning: `,
      error: `${glyphs.failed} error: `,
    };
    return [run(`${sign[level]}${excerpt(text)}`)];
  },
};

function run(what: string): Line {
  return { who: "run", what };
}

function title({ run: { id, workflow, instance } }: LineContext["state"]): string {
  return `${id} ${workflow}@${instance}`;
}

function waitingLines(
  { waitingFor }: EventOf<"run-suspended">,
  { state, glyphs, whole }: LineContext,
): readonly Line[] {
  return waitingFor.map((item) => {
    const commands = answerCommands(item, state.run.id).join(` ${glyphs.dot} `);
    return run(`${describeItem(item, whole(item.text))}  ${commands}`);
  });
}
