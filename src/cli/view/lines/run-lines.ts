import type { EventOf } from "../../../contracts/events/event.ts";
import {
  describeAdjustment,
  describeAdvance,
  describeRecord,
  TOLD_OTHERWISE,
} from "../../../fold/describe-advance.ts";
import { toWaitingItem } from "../../../fold/waiting.ts";
import { count } from "../../../foundation/count.ts";
import { TROUPE } from "../../command/called-as.ts";
import { answerCommands, describeItem } from "../parts/answer-commands.ts";
import type { LineContext, LineTable, ProgressLine } from "../parts/line-table.ts";
import { endSentence, goOnSentence, suspensionSentence } from "../parts/run-sentences.ts";

// Beyond these they would push the end of the run off the screen.
const MAX_UNANSWERED = 20;
/** Of the way to where a guard ended the run. */
const MAX_TOLD_STEPS = 8;

const REFUSED_AT = {
  tools: " at the tools of agents",
  commands: " at the socket of commands",
  calls: "",
} as const;

/** The life of the run, and what its program and user code say. */
export const runLines: LineTable = {
  "run-started": (_, { state }) => [run(`${title(state)} started`)],
  "run-forked": ({ source }) => [run(`forked from ${source.run} after event ${source.seq}`)],
  "definition-changed": ({ file }, { excerpt }) => [
    run(`goes on with ${excerpt(file)} as it is now`),
  ],
  "run-resumed": (_, { state }) => [run(`${title(state)} resumed`)],
  "run-suspended": (event, context) => [
    run(suspensionSentence(context, event)),
    ...(event.reason === "waiting" ? waitingLines(event, context) : []),
  ],
  "run-ended": (event, context) => [
    ...unansweredLines(context),
    run(endSentence(context, event)),
    ...(event.resumable ? [run(goOnSentence(context.state, event))] : []),
  ],
  "cancellation-requested": ({ by, reason }, { glyphs, excerpt }) => [
    run(`${glyphs.failed} cancellation by ${excerpt(by)}: ${excerpt(reason)}`),
  ],
  "pattern-advanced": (event, { glyphs, excerpt }) =>
    TOLD_OTHERWISE.has(event.kind)
      ? []
      : [run(`${glyphs.working} ${excerpt(describeAdvance(event))}`)],
  "reflection-made": ({ by, synthesis, adjustments }, { glyphs, excerpt }) => [
    run(
      `${glyphs.working} ${excerpt(`${by === "system" ? "Troupe" : by} reflects: ${synthesis}`)}`,
    ),
    ...adjustments.map((each) =>
      run(
        `${each.result === "done" ? glyphs.done : glyphs.failed} ${excerpt(describeAdjustment(each))}`,
      ),
    ),
  ],
  "record-added": ({ by, record }, { glyphs, excerpt }) => [
    { who: by, what: `${glyphs.edit} ${excerpt(describeRecord(record))}` },
  ],
  "guard-tripped": ({ guard, reason, path }, { glyphs, excerpt }) => {
    const way =
      path.length === 0
        ? ""
        : ` ${glyphs.dot} ${path.slice(-MAX_TOLD_STEPS).join(` ${glyphs.arrow} `)}`;
    return [run(`${glyphs.attention} ${excerpt(guard)}: ${excerpt(reason)}${way}`)];
  },
  "requests-refused": ({ door, code, agent, command, count: times }, { glyphs, excerpt }) => {
    const who = agent === undefined ? "" : ` of ${agent}`;
    const what = count(times, door === "calls" ? "call" : "request");
    const where = command === undefined ? REFUSED_AT[door] : `: ${excerpt(command)}`;
    return [run(`${glyphs.attention} refused ${what}${who}${where} [${code}]`)];
  },
  log: ({ level, text }, { glyphs, excerpt, whole }) => {
    if (level === "info") return [run(excerpt(text))];
    const sign = level === "warning" ? glyphs.attention : glyphs.failed;
    // Its reason and what to do about it come last.
    return [run(`${sign} ${level}: ${whole(text)}`)];
  },
};

function run(what: string): ProgressLine {
  return { who: "run", what };
}

function title({ run: { id, workflow, instance } }: LineContext["state"]): string {
  return `${id} ${workflow}@${instance}`;
}

function unansweredLines({ state, glyphs, excerpt }: LineContext): readonly ProgressLine[] {
  const lines = state.unanswered.slice(0, MAX_UNANSWERED).map((item) => {
    const what = describeItem(toWaitingItem(item), excerpt(item.text));
    return run(`${glyphs.attention} unanswered: ${what}`);
  });
  const more = state.unanswered.length - lines.length;
  const rest = `${glyphs.attention} and ${more} more unanswered: ${TROUPE} show ${state.run.id} --json`;
  return more > 0 ? [...lines, run(rest)] : lines;
}

function waitingLines(
  { waitingFor }: EventOf<"run-suspended">,
  { state, glyphs, whole }: LineContext,
): readonly ProgressLine[] {
  return waitingFor.map((item) => {
    const commands = answerCommands(item, state.run.id).join(` ${glyphs.dot} `);
    return run(`${describeItem(item, whole(item.text))}  ${commands}`);
  });
}
