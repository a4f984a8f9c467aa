import type { ContextFiles } from "../../contracts/context-files.ts";
import type { KickoffDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Json } from "../../foundation/json.ts";
import {
  lookupIn,
  renderTemplate,
  type VariableLookup,
} from "../language/templates/render-template.ts";
import { parseTemplate, scanTemplate, templateVariables } from "../language/templates/template.ts";

/** Values of variables by name; members of objects have names joined by dots. */
export interface KickoffValues {
  readonly [name: string]: Json;
}

/** The variables that a run has before its setup. */
export function startValues(context: Context, definition: KickoffDefinition): KickoffValues {
  const { run } = context;
  const files = contextFilesOf(definition, run);
  const { directory = "", channelFile, documentFile } = files ?? {};
  return {
    ...nameValues(run),
    ...(run.task === undefined ? {} : { task: run.task }),
    params: run.params,
    context: {
      ...(channelFile === undefined ? {} : { channel: `${directory}/${channelFile}` }),
      ...(documentFile === undefined ? {} : { document: `${directory}/${documentFile}` }),
    },
  };
}

/** Looks variables of a kickoff workflow up; `env.NAME` where `variable` says. */
export function lookupOf(
  values: KickoffValues,
  variable: (name: string) => string | undefined,
): VariableLookup {
  const inValues = lookupIn(values);
  const find: VariableLookup = (wanted) => {
    const [root, name = ""] = wanted.segments;
    return root === "env" ? variable(name) : inValues(wanted);
  };
  return Object.assign(find, { known: inValues.known ?? [], form: "${{" as const });
}

/** A lookup for the texts of a workflow; asks for the environment only if one of them does. */
export async function textLookup(
  context: Context,
  { agents, kickoff = "" }: KickoffDefinition,
  values: KickoffValues,
): Promise<VariableLookup> {
  const texts = [kickoff, ...agents.flatMap(({ env, settings }) => textsIn([env, settings]))];
  const names = new Set(
    texts.flatMap((text) =>
      templateVariables(scanTemplate(text, "dollar"))
        .filter(({ segments }) => segments[0] === "env")
        .map(({ segments }) => segments[1] ?? ""),
    ),
  );
  if (names.size === 0) return lookupOf(values, () => undefined);
  const environment = await context.step("environment", ({ host }) =>
    Object.fromEntries([...names].map((name) => [name, host.variable(name) ?? null])),
  );
  return lookupOf(values, (name) => environment[name] ?? undefined);
}

/** All texts in a value, however deep. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Whether any text of a workflow names the task. */
export function usesTask({ agents, setup, kickoff = "" }: KickoffDefinition): boolean {
  const texts = [
    kickoff,
    ...setup.map(({ shell }) => shell),
    ...agents.flatMap(({ env, settings }) => textsIn([env, settings])),
  ];
  return texts.some((text) =>
    templateVariables(scanTemplate(text, "dollar")).some(({ name }) => name === "task"),
  );
}

/** What is known of a run before anything of it starts. */
interface RunNames {
  readonly workflow: string;
  readonly instance: string;
}

/** The variables that a run has before anything of it starts. */
function nameValues({ workflow, instance }: RunNames) {
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
