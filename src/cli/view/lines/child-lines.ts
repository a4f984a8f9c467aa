import { answerCommands, describeItem } from "../parts/answer-commands.ts";
import type { LineTable } from "../parts/line-table.ts";

/** Child runs: their beginning, what they ask people for, and their end. */
export const childLines: LineTable = {
  "child-started": ({ child, workflow, path = "run" }, { glyphs, excerpt }) => [
    { who: path, what: `${glyphs.working} runs ${excerpt(workflow)} as ${child}` },
  ],
  "child-waiting": ({ waitingFor }, { glyphs, whole }) =>
    waitingFor.flatMap((item) => [
      {
        who: item.run ?? "run",
        what: `${glyphs.attention} ${describeItem(item, whole(item.text))}`,
      },
      {
        who: item.run ?? "run",
        what: `  ${answerCommands(item, item.run ?? "").join(` ${glyphs.dot} `)}`,
      },
    ]),
  "child-ended": ({ child, outcome, reason }, { glyphs, excerpt }) => [
    {
      who: child,
      what: `${outcome === "completed" ? glyphs.done : glyphs.failed} ${outcome}: ${excerpt(reason)}`,
    },
  ],
};
