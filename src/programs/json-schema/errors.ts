import { defineError } from "../../foundation/errors.ts";

export const jsonSchemaUnusable = defineError("JSON_SCHEMA_UNUSABLE", {
  message: (details: { place: string; problem: string }) =>
    `the JSON Schema cannot be used: ${details.place === "" ? "it" : details.place} ${details.problem}`,
  hint: () => "troupe validate FILE shows the place; start the run anew with the mended file",
  about:
    "A schema of a file is judged when the file is loaded. One that a run brought along from an older version is judged when it is first needed.",
});
