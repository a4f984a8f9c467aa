import type { ContextFiles } from "../../contracts/context-files.ts";
import type { KickoffDefinition } from "../../contracts/definition.ts";
import { lookupIn, renderTemplate } from "../language/templates/render-template.ts";
import { parseTemplate } from "../language/templates/template.ts";

/** What is known of a run before anything of it starts. */
export interface RunNames {
  readonly workflow: string;
  readonly instance: string;
}

/** The variables that a run has before anything of it starts. */
export function nameValues({ workflow, instance }: RunNames) {
  return { instance, workflow: { name: workflow, instance } };
}

/** A text that only names the run. Raises WORKFLOW_UNKNOWN_VARIABLE. */
export function renderName(template: string, names: RunNames): string {
  return renderTemplate(parseTemplate(template, "dollar"), lookupIn(nameValues(names)));
}

/** Where channel and document of a run are to be found; undefined when it shares nothing. */
export function contextFilesOf(
  { context }: KickoffDefinition,
  names: RunNames,
): ContextFiles | undefined {
  if (context === undefined) return undefined;
  const { directory, channel, document } = context;
  return {
    directory: renderName(directory, names).replace(/(?<=.)\/+$/, ""),
    ...(channel === undefined ? {} : { channelFile: renderName(channel.file, names) }),
    ...(document === undefined ? {} : { documentFile: renderName(document.file, names) }),
  };
}
