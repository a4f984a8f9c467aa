import { defineError } from "../../foundation/errors.ts";

export const trailOutside = defineError("TRAIL_DIRECTORY_OUTSIDE", {
  message: (details: { directory: string; project: string }) =>
    `trajectories are not kept in ${details.directory}: it leads out of the project ${details.project}`,
  hint: () =>
    "name a directory of the project, or set TRAJECTORIES_DATA_DIR to one that is yours wherever it lies",
  about:
    "`trajectory.dataDir` of a workflow names a directory of the project, links followed: a workflow of somebody else must not write anywhere else. The variable TRAJECTORIES_DATA_DIR is yours and may name any directory.",
});

export const trailUnwritable = defineError("TRAIL_UNWRITABLE", {
  message: (details: { run: string; path: string; problem: string }) =>
    `the trajectory of ${details.run} could not be written to ${details.path}: ${details.problem}`,
  hint: () => "make room for it; troupe trail list writes it then",
  about:
    "A run whose workflow asks for a trajectory leaves its file when it ends. What stood in the way is told; the run itself is whole in its journal, and the next look at trajectories, or `troupe resume` of the run, writes the file.",
});

export const trajectoryNotFound = defineError("TRAIL_NOT_FOUND", {
  message: (details: { given: string; directories: readonly string[] }) =>
    `there is no trajectory or run ${details.given}; looked in ${details.directories.join(", ")}`,
  hint: () => "troupe trail list tells which there are; --dir names another directory",
  about:
    "A trajectory is named by its id, by the beginning of it if only one fits, or by the run that it tells of.",
});

export const trajectoryAmbiguous = defineError("TRAIL_AMBIGUOUS", {
  message: (details: { given: string; matches: readonly string[] }) =>
    `"${details.given}" fits several trajectories: ${details.matches.join(", ")}`,
  hint: () => "write more of the id",
  about: "The beginning of an id is enough where only one trajectory has it.",
});

export const trajectoryInvalid = defineError("TRAIL_FILE_INVALID", {
  message: (details: { file: string; problem: string }) =>
    `${details.file} is no trajectory: ${details.problem}`,
  hint: () => "repair the file, or move it away",
  about:
    "Files of trajectories are those of the package agent-trajectories 0.6. A file that does not fit is passed over and told; all others are shown.",
});
