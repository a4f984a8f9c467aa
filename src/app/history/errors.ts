import { defineError } from "../../foundation/errors.ts";

export const nothingToSalvage = defineError("RUN_NOTHING_TO_SALVAGE", {
  message: (details: { run: string; problem: string }) =>
    `no event of ${details.run} can be trusted: ${details.problem}`,
  hint: () => "restore the directory of the run from a copy",
  about:
    "`troupe export --salvage` writes the events of a damaged run up to the first that was altered or lost. Here that is the first one already.",
});

export const reportHeldSecrets = defineError("RUN_REPORT_SECRETS", {
  message: (details: { run: string; texts: number }) =>
    `${details.texts} ${details.texts === 1 ? "text" : "texts"} of ${details.run} held known secrets; the report has *** in their place`,
  hint: () => "whoever can read the journal can read them: give the agents new ones",
  about:
    "A report never holds the values of secret variables of the environment or the configuration. That they stand in the journal means that a workflow file or an agent wrote them down.",
});
