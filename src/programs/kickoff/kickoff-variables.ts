import type { KickoffDefinition } from "../../contracts/definition.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { Json } from "../../foundation/json.ts";
import { lookupIn, type VariableLookup } from "../language/templates/render-template.ts";
import { scanTemplate, templateVariables } from "../language/templates/template.ts";
import { contextFilesOf, nameValues } from "./context-files.ts";

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
