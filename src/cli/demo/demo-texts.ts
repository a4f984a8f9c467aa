import { formatDuration } from "../../foundation/duration.ts";

/** What the demo says before it begins. */
export function demoHeader(folder: string, patienceMs: number): readonly string[] {
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
export function demoNextSteps(folder: string, troupe: string): readonly string[] {
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
