import type { FoundTrajectory } from "../../app/trail/search-trajectories.ts";
import type { TrajectoryFile } from "../../app/trail/trajectory-files.ts";
import { elapsedMs, formatDuration } from "../../foundation/duration.ts";
import type { Json } from "../../foundation/json.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import { fitTable } from "../terminal/fit-table.ts";
import type { Settings } from "../terminal/settings.ts";

const HEADER = ["TRAJECTORY", "STATUS", "CONFIDENCE", "CHAPTERS", "AGE", "TITLE"];
const TITLE_COLUMN = HEADER.indexOf("TITLE");

/** Trajectories as a table for people. */
export function trajectoryTable(
  files: readonly TrajectoryFile[],
  { settings, nowMs }: { readonly settings: Settings; readonly nowMs: number },
): readonly string[] {
  if (files.length === 0) return [NONE];
  const rows = files.map(({ trajectory }) => {
    const { id, status, chapters, startedAt, task, retrospective } = trajectory;
    const share = retrospective?.confidence;
    const confidence = share === undefined ? "-" : `${Math.round(share * 100)}%`;
    const age = formatDuration(elapsedMs(Date.parse(startedAt), nowMs));
    return [id, status, confidence, String(chapters.length), age, task.title];
  });
  return fitTable([HEADER, ...rows], { settings, hasHeader: true, cuts: [TITLE_COLUMN] });
}

const NONE = `no trajectories yet: trajectory: {enabled: true} of a workflow leaves one, ${TROUPE} trail show RUN tells any run`;

/** What a search has found, for people. */
export function foundLines(found: readonly FoundTrajectory[]): readonly string[] {
  if (found.length === 0) return ["no trajectory has all of these words"];
  return found.flatMap(({ trajectory: { id, status, task }, excerpt }) => [
    toPrintable(`${id}  ${status}  ${task.title}`),
    `  ${toPrintable(excerpt)}`,
  ]);
}

/** A trajectory as `--json` lists it. */
export function toTrajectoryEntry({ trajectory, file }: TrajectoryFile): Json {
  const { id, status, task, startedAt, completedAt = null, workflowId = null } = trajectory;
  const { retrospective, chapters, tags } = trajectory;
  return {
    ...{ id, status, title: task.title, run: workflowId, startedAt, endedAt: completedAt },
    confidence: retrospective?.confidence ?? null,
    chapters: chapters.length,
    tags,
    file,
  };
}
