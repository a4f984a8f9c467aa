import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";

/**
 * What a pattern was done for: the outputs of the steps that are its results; several stand under their ids.
 * `outputOf` knows the outputs of completed steps.
 */
export function finalOutput(
  { results = unneeded }: Pick<Pattern, "results">,
  definition: PatternDefinition,
  outputOf: (step: string) => string | undefined,
): string {
  const ids = results(definition);
  const outputs = ids.flatMap((id) => {
    const output = outputOf(id);
    return output === undefined ? [] : [{ id, output }];
  });
  const [first] = outputs;
  if (first !== undefined && ids.length === 1) return first.output;
  return outputs.map(({ id, output }) => `## ${id}\n\n${output}`).join("\n\n");
}

function unneeded({ steps }: PatternDefinition): readonly string[] {
  const inner = new Set(steps.flatMap((step) => step.dependsOn));
  return steps.flatMap(({ id }) => (inner.has(id) ? [] : [id]));
}
