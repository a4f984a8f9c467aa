import type { SourceNode } from "../source/source-node.ts";
import { entryOf } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { paramDefinition } from "./errors.ts";
import type { LocatedItem } from "./file-view.ts";
import { textAt, textsAt } from "./file-view.ts";

/** Checks that the definitions of params make sense: defaults fit their types, enums have values. */
export function checkParams(context: CheckContext): void {
  for (const param of context.view.params) checkParam(context, param);
}

function checkParam({ report }: CheckContext, param: LocatedItem): void {
  const type = textAt(param.node, "type")?.text;
  const values = entryOf(param.node, "values");
  const fallback = entryOf(param.node, "default");
  const required = entryOf(param.node, "required");
  const refuse = (problem: string, range: LocatedItem["idRange"]) =>
    report(paramDefinition({ param: param.id ?? "", problem }), range);
  if (type === "enum" && values === undefined) refuse("is an enum without values", param.idRange);
  if (type !== undefined && type !== "enum" && values !== undefined)
    refuse(`has values, which only an enum takes; its type is ${type}`, values.keyRange);
  if (fallback === undefined || type === undefined) return;
  const problem = defaultProblem(type, fallback.node, param);
  if (problem !== undefined) refuse(problem, fallback.node);
  if (required?.node.kind === "scalar" && required.node.value === true)
    refuse("has a default and is required; remove one of the two", required.keyRange);
}

function defaultProblem(type: string, node: SourceNode, param: LocatedItem): string | undefined {
  if (node.kind !== "scalar") return undefined;
  const { value } = node;
  const shown = JSON.stringify(value);
  if (type !== "enum")
    return typeof value === type ? undefined : `is a ${type}, but its default is ${shown}`;
  const values = textsAt(param.node, "values").map(({ text }) => text);
  return values.some((allowed) => allowed === value)
    ? undefined
    : `has the default ${shown}, which is not one of ${values.join(", ")}`;
}
