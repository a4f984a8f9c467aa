import { z } from "zod";
import { calledAs, TROUPE } from "../command/called-as.ts";
import type { Action } from "../command/command.ts";
import { EXIT } from "../command/exit-codes.ts";
import { makeDemoFolder } from "../demo/demo-folder.ts";
import { demoHeader, demoNextSteps } from "../demo/demo-texts.ts";
import { playDemo } from "../demo/play-demo.ts";

const demoOptions = z.object({
  fast: z.boolean().default(false),
  keep: z.boolean().default(false),
});

// Somebody at a terminal gets the time to read and to decide.
const PATIENCE_MS = 8000;

/** `troupe demo`: a real run with scripted agents, in a folder of its own. */
export const demoAction: Action = async (invocation) => {
  const { io, settings } = invocation;
  const { fast: isFast, keep } = demoOptions.parse(invocation.options);
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
