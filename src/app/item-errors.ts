import { defineError } from "../foundation/errors.ts";

export const itemNotFound = defineError("RUN_ITEM_NOT_FOUND", {
  message: (details: { id: string; isRun?: boolean }) =>
    `nothing called "${details.id}" waits for a decision`,
  hint: ({ id, isRun = false }) =>
    isRun
      ? `what waits in a run is decided with --run ${id}; list it: troupe inbox`
      : "list what waits: troupe inbox",
  about:
    "The approval, permission or question is in no run of this project, or it was decided before.",
});

export const itemAmbiguous = defineError("RUN_ITEM_AMBIGUOUS", {
  message: (details: { given: string; matches: readonly string[] }) =>
    `"${details.given}" fits several: ${details.matches.join(", ")}`,
  hint: () => "write more of the id",
  about: "What waits may be named by the beginning of its id if only one begins so.",
});

export const itemChanged = defineError("RUN_ITEM_CHANGED", {
  message: (details: { run: string; id: string; seen: string; current: string }) =>
    `what ${details.id} asks for is not what was decided on: seen ${shortHash(details.seen)}, now ${shortHash(details.current)}`,
  hint: ({ id }) => `look at it again: troupe inbox ${id}`,
  about:
    "A decision counts for what was shown to the person, named by its hash. Something else is to be approved now, so nothing was decided.",
});

export const itemExpired = defineError("RUN_ITEM_EXPIRED", {
  message: (details: { run: string; id: string; expiresAt: string }) =>
    `${details.id} could be decided until ${details.expiresAt}`,
  hint: ({ run }) => `its time-out takes effect when the run goes on: troupe resume ${run}`,
  about:
    "An approval or a permission request with a time-out decides itself when its time is over. A decision that comes later does not count.",
});

function shortHash(hash: string): string {
  return hash.slice(0, 12);
}
