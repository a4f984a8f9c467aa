import type { FoundSchema } from "../parts/schema-resources.ts";
import type { Application, NamedRules } from "./evaluation.ts";
import { EvaluationExceeded } from "./work-limit.ts";

/** Keywords that refer to another schema of the document. */
export const referenceRules: NamedRules = [
  ["$ref", (application, reference) => follow(application, target(application, reference))],
  [
    "$dynamicRef",
    (application, reference) => follow(application, dynamicTarget(application, reference)),
  ],
];

function follow({ apply }: Application, { schema, base }: FoundSchema): boolean {
  return apply(schema, { base });
}

function target({ evaluation, schema }: Application, reference: unknown): FoundSchema {
  const { resources } = evaluation;
  const resolution = resources.resolve(String(reference), resources.baseOf(schema));
  // References are judged before anything is evaluated.
  if (resolution.status !== "found") throw new EvaluationExceeded(`${reference} leads nowhere`);
  return resolution.found;
}

/** The outermost schema on the way that has the anchor, when the reference leads to a dynamic one. */
function dynamicTarget(application: Application, reference: unknown): FoundSchema {
  const found = target(application, reference);
  const { dynamicName: name } = found;
  if (name === undefined) return found;
  const { evaluation, standing } = application;
  for (const base of standing.bases) {
    const schema = evaluation.resources.dynamicTarget(base, name);
    if (schema !== undefined) return { schema, base, dynamicName: name };
  }
  return found;
}
