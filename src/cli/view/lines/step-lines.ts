import { formatDuration } from "../../../foundation/duration.ts";
import { namedFiles } from "../../../foundation/named-files.ts";
import type { LineTable } from "../parts/line-table.ts";

/** How steps go. */
export const stepEventLines: LineTable = {
  "step-started": ({ path, execution, attempt, agent }, { glyphs, excerpt }) => {
    const often = execution > 1 ? ` ${glyphs.times}${execution}` : "";
    const again = attempt > 1 ? `, attempt ${attempt}` : "";
    const by = agent === undefined || agent === path ? "" : ` (${excerpt(agent)})`;
    return [{ who: path, what: `${glyphs.working} started${often}${again}${by}` }];
  },
  "step-completed": ({ path, output, durationMs, reusedFrom }, { glyphs, excerpt }) => {
    const how =
      reusedFrom === undefined
        ? `completed in ${formatDuration(durationMs)}`
        : `completed, reused from ${excerpt(reusedFrom.run)}`;
    const result = excerpt(output);
    const tail = result === "" ? "" : ` ${glyphs.dot} ${result}`;
    return [{ who: path, what: `${glyphs.done} ${how}${tail}` }];
  },
  "step-failed": ({ path, attempt, durationMs, error }, { glyphs, excerpt }) => {
    const tries = attempt > 1 ? ` after ${attempt} attempts` : ` in ${formatDuration(durationMs)}`;
    const why = `${excerpt(error.message)} [${error.code}]`;
    return [{ who: path, what: `${glyphs.failed} failed${tries}: ${why}` }];
  },
  "step-retrying": ({ path, attempt, delayMs, error }, { glyphs, excerpt }) => {
    const wait = delayMs === 0 ? "" : ` in ${formatDuration(delayMs)}`;
    const why = `${excerpt(error.message)} [${error.code}]`;
    const next = `${glyphs.arrow} attempt ${attempt + 1}${wait}`;
    return [{ who: path, what: `${glyphs.retry} attempt ${attempt} failed: ${why} ${next}` }];
  },
  "step-skipped": ({ path, reason }, { glyphs, excerpt }) => [
    { who: path, what: `${glyphs.skipped} skipped: ${excerpt(reason)}` },
  ],
  "step-blocked": ({ path, by }, { glyphs, excerpt }) => [
    { who: path, what: `${glyphs.failed} blocked by ${excerpt(by.join(", "))}` },
  ],
  "step-cancelled": ({ path, reason }, { glyphs, excerpt }) => [
    { who: path, what: `${glyphs.failed} cancelled: ${excerpt(reason)}` },
  ],
  "tests-changed": ({ step, files, more }, { glyphs, excerpt }) => [
    {
      who: step,
      what: `${glyphs.attention} changed tests: ${excerpt(namedFiles({ files, more }))}`,
    },
  ],
  "verification-passed": ({ step, check }, { glyphs, excerpt }) => [
    { who: step, what: `${glyphs.done} verified: ${excerpt(check)}` },
  ],
  "verification-failed": ({ step, check, output }, { glyphs, excerpt }) => {
    // What a check says last is what it found.
    const last = excerpt(output.trimEnd().split("\n").at(-1) ?? "");
    const tail = last === "" ? "" : ` ${glyphs.dot} ${last}`;
    return [{ who: step, what: `${glyphs.failed} verification failed: ${excerpt(check)}${tail}` }];
  },
};
