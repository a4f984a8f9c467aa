import type { PatternDefinition } from "../../contracts/definition.ts";

/**
 * What a pattern was done for: the output of its last stage, or of the steps that no other depends on; several stand
 * under their ids. `outputOf` knows the outputs of completed steps.
 */
export function finalOutput(
  { pattern, steps }: PatternDefinition,
  outputOf: (step: string) => string | undefined,
): string {
  const inner = new Set(steps.flatMap((step) => step.dependsOn));
  const ends = pattern === "pipeline" ? steps.slice(-1) : steps.filter(({ id }) => !inner.has(id));
  const outputs = ends.flatMap(({ id }) => {
    const output = outputOf(id);
    return output === undefined ? [] : [{ id, output }];
  });
  const [first] = outputs;
  if (first !== undefined && ends.length === 1) return first.output;
  return outputs.map(({ id, output }) => `## ${id}\n\n${output}`).join("\n\n");
}
