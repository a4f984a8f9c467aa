import { defineError } from "../../../foundation/errors.ts";

interface Loss {
  /** The path of the key in the file. */
  readonly place: string;
  readonly what: string;
  readonly hint?: string;
}

export const imported = defineError("WORKFLOW_IMPORTED", {
  message: (details: { tool: string; place: string; file: string; shape: string }) =>
    `this file was written for ${details.tool}, as ${details.place} shows, and is read as a ${details.shape} workflow`,
  hint: ({ tool, file }) =>
    `to get it as one: troupe convert ${file === "<stdin>" ? "-" : file} --from ${tool}`,
  about:
    "A warning. A key that only files of another tool have says how the file is meant. What cannot be carried over has a warning or an error of its own. `troupe convert` writes the same as a file of troupe. What agents may do without asking follows the configuration of troupe unless the file says it.",
});

export const importOwn = defineError("WORKFLOW_IMPORT_OWN", {
  message: (details: { tool: string; place: string; file: string }) =>
    `--from ${details.tool} does nothing: ${details.file} is troupe's own, as ${details.place} shows`,
  hint: () => "leave --from out",
  about:
    "A warning. `--from` names the tool that a file was written for. This one has a key that files of that tool never have, so it is read as a file of troupe.",
});

export const importLeftOut = defineError("WORKFLOW_IMPORT_LEFT_OUT", {
  message: ({ place, what }: Loss) => `${place} is left out: ${what}`,
  hint: ({ hint }) => hint,
  about:
    "A warning. The file of another tool says something that troupe has no counterpart for. The run does the same without it, or nearly.",
});

export const importChanged = defineError("WORKFLOW_IMPORT_CHANGED", {
  message: ({ place, what }: Loss) => `${place} ${what}`,
  hint: ({ hint }) => hint,
  about:
    "A warning. The file of another tool says something that troupe has in a slightly different form.",
});

export const importRefused = defineError("WORKFLOW_IMPORT_REFUSED", {
  message: ({ place, what }: Loss) => `${place} cannot be carried over: ${what}`,
  hint: ({ hint }) => hint,
  about:
    "The file of another tool says something that troupe has no counterpart for, and without it something else would happen. Remove it if that is what you want, or convert the file with `troupe convert` and complete it.",
});

export const importUnknown = defineError("WORKFLOW_IMPORT_UNKNOWN", {
  message: (details: { file: string; tools: readonly string[] }) =>
    `nothing in ${details.file} says for which tool it was written`,
  hint: ({ tools }) => `if you know: --from ${tools.join(" or --from ")}`,
  about:
    "`troupe convert` tells files of other tools by keys that only they have. A file without such a key may be meant for troupe itself; --from says that it is not.",
});
