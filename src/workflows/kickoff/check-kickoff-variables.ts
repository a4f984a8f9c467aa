import type { TroupeError } from "../../foundation/errors.ts";
import { unknownVariable } from "../../programs/language/errors.ts";
import {
  scanTemplate,
  type TemplateVariable,
  templateVariables,
} from "../../programs/language/templates/template.ts";
import type { CheckContext } from "../checks/check-context.ts";
import { checkEnvironment } from "../checks/check-environment.ts";
import { checkCommandValues, commandOf } from "../checks/check-variables.ts";
import { variableNotSet } from "../checks/errors.ts";
import {
  idsOf,
  type LocatedText,
  listAt,
  MAX_NEAR_NAMES,
  memberTexts,
  textAt,
  textList,
} from "../checks/file-view.ts";
import { placeInText } from "../checks/place-in-text.ts";
import { entryOf } from "../source/source-node.ts";
import type { Prompts } from "./read-prompts.ts";
import { sharedParts } from "./shared-parts.ts";

/** Names that are known before anything runs, so that they can be part of a path. */
const FIXED = ["workflow.name", "workflow.instance", "instance"];

/** Checks the form of every template of a kickoff file, and that each variable will have a value there (WF-4). */
export function checkKickoffVariables(context: CheckContext, prompts: Prompts): void {
  const { root, agents } = context.view;
  checkEnvironment(
    context,
    root,
    agents.map(({ node }) => node),
  );
  const node = entryOf(root, "context")?.node;
  const early = [
    textAt(node, "dir"),
    textAt(entryOf(node, "channel")?.node, "file"),
    textAt(entryOf(node, "document")?.node, "file"),
    textAt(entryOf(root, "options")?.node, "channel"),
  ];
  for (const text of early) checkText(context, text, { names: FIXED, hasEnv: false });
  const outputs: string[] = [];
  const names = () => [...namesAtStart(context), ...outputs];
  const origins = outputOrigins(context);
  for (const task of listAt(root, "setup")) {
    checkText(context, textAt(task, "shell"), { names: names(), hasEnv: true, origins });
    checkCommandValues(context, { command: entryOf(task, "shell")?.node, syntax: "dollar" });
    const as = textAt(task, "as");
    if (as !== undefined) outputs.push(as.text);
  }
  const late = { names: names(), hasEnv: true, origins };
  for (const agent of agents) {
    for (const text of [
      ...textList(entryOf(agent.node, "command")?.node),
      ...memberTexts(entryOf(agent.node, "env")?.node),
    ])
      checkText(context, text, late);
    checkCommandValues(context, { ...commandOf(agent), syntax: "dollar" });
  }
  for (const { text, written, path } of prompts.values())
    checkText(context, { text, node: written.node }, { ...late, isElsewhere: path !== undefined });
  const shadow = entryOf(entryOf(root, "options")?.node, "shadow")?.node;
  checkText(context, textAt(shadow, "task"), late);
  checkText(context, textAt(root, "kickoff"), late);
}

interface Scope {
  readonly names: readonly string[];
  /** Whether variables of the environment can be used. */
  readonly hasEnv: boolean;
  /** Which setup command sets which name. */
  readonly origins?: { readonly [name: string]: string };
  /** Whether the text stands in another file: then its place is where that is named. */
  readonly isElsewhere?: boolean;
}

function namesAtStart({ view }: CheckContext): readonly string[] {
  const { channel, document } = sharedParts(entryOf(view.root, "context")?.node);
  return [
    ...["task", ...FIXED],
    ...(channel ? ["context.channel"] : []),
    ...(document ? ["context.document"] : []),
    ...idsOf(view.params).map((name) => `params.${name}`),
  ];
}

function outputOrigins({ view }: CheckContext): { readonly [name: string]: string } {
  return Object.fromEntries(
    listAt(view.root, "setup").flatMap((task, index) => {
      const as = textAt(task, "as");
      return as === undefined ? [] : [[as.text, `setup[${index}]`] as const];
    }),
  );
}

function checkText(context: CheckContext, text: LocatedText | undefined, scope: Scope): void {
  if (text === undefined) return;
  const template = scanTemplate(text.text, "dollar");
  const place = (span: TemplateVariable["span"]) =>
    scope.isElsewhere === true ? text.node : placeInText(text, span, context.text);
  for (const { error, span } of template.faults) context.report(error, place(span));
  for (const variable of templateVariables(template)) {
    if (variable.segments[0] === "env" && variable.segments.length === 2 && scope.hasEnv) {
      const doubt = doubtOfEnv(context, variable);
      if (doubt !== undefined) context.report(doubt, place(variable.span), { severity: "warning" });
    } else if (!scope.names.includes(variable.name))
      context.report(unknown(variable, scope), place(variable.span));
  }
}

function doubtOfEnv(
  { options }: CheckContext,
  variable: TemplateVariable,
): TroupeError | undefined {
  const [, name = ""] = variable.segments;
  const { environment } = options;
  if (environment === undefined || environment.includes(name)) return undefined;
  return variableNotSet({ name, known: environment.slice(0, MAX_NEAR_NAMES) });
}

function unknown({ name }: TemplateVariable, { names, origins = {} }: Scope): TroupeError {
  return unknownVariable({ name, known: names.slice(0, MAX_NEAR_NAMES), form: "${{", origins });
}
