import { formatDuration } from "../../foundation/duration.ts";
import { calledAs, TROUPE } from "../command/called-as.ts";
import type { ActionOf } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { demoCommand } from "../commands/demo.ts";
import { makeDemoFolder } from "../demo/demo-folder.ts";
import { playDemo } from "../demo/play-demo.ts";

// Somebody at a terminal gets the time to read and to decide.
const PATIENCE_MS = 8000;

/** `troupe demo`: a real run with scripted agents, in a folder of its own. */
export const demoAction: ActionOf<typeof demoCommand> = async (invocation) => {
  const { io, settings } = invocation;
  const { fast: isFast, keep } = invocation.options;
  const folder = makeDemoFolder(settings.cwd, keep);
  const write = (lines: readonly string[]) => {
    if (!settings.isQuiet) io.stdout.write(`${lines.join("\n")}\n`);
  };
  const isAsked = settings.mayAsk && !isFast && !settings.saysYes && !settings.isQuiet;
  const patienceMs = isAsked ? PATIENCE_MS : 0;
  write(demoHeader(folder.name, patienceMs));
  const { run, exitCode } = await playDemo(folder, { isFast, patienceMs }, invocation);
  if (exitCode === EXIT.completed) {
    const there = calledAs(process, folder.path);
    write(demoNextSteps(folder.name, there));
  } else io.stderr.write(`the run is kept: ${TROUPE} -C ${folder.name} resume ${run}\n`);
  return exitCode;
};

/** What the demo says before it begins. */
function demoHeader(folder: string, patienceMs: number): readonly string[] {
  return [
    "troupe demo: a real run with scripted agents. No API key, no network, all files in",
    `./${folder}. Engine, journal, channel, check, retry and approval are those of real agents;`,
    "only the replies are canned.",
    ...(patienceMs === 0
      ? []
      : [
          `It asks you to approve one step, and does so itself after ${formatDuration(patienceMs)}.`,
        ]),
    "",
  ];
}

/** What to look at afterwards; `troupe` is how it is called there. */
function demoNextSteps(folder: string, troupe: string): readonly string[] {
  return [
    "",
    `  Open it        ${folder}/report.html in a browser; the slider is the whole run`,
    `  Go there       cd ${folder}`,
    `  What came out  ${troupe} show @last`,
    `  All of it      ${troupe} logs @last`,
    `  One step       ${troupe} show @last --step fix`,
    `  The workflow   demo.yaml, checked with: ${troupe} validate demo.yaml`,
    `  Once more      ${troupe} run demo.yaml --cassette cassette.yaml "fix sum()"`,
    `  Your turn      ${troupe} init, in a project of your own`,
  ];
}
