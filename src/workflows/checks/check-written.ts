import { z } from "zod";
import type { PatternDefinition } from "../../contracts/definition.ts";
import type { Pattern } from "../../contracts/ports/pattern.ts";
import { blockKeyOf } from "../../programs/primitives/own-turns.ts";
import { createProblemCollector, isOk, type Problem } from "../problems/problem.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import { parseJsonSource } from "../source/parse-json.ts";
import { roleUnfit } from "./errors.ts";

/**
 * What is wrong with the block and the members of a pattern workflow that was written in code: all that a file would be
 * refused for. The places are those in its block as JSON.
 */
export function checkWritten(
  definition: PatternDefinition,
  pattern: Pick<Pattern, "name" | "blockKey" | "block" | "functions" | "check">,
): readonly Problem[] {
  const key = blockKeyOf(pattern);
  const text = JSON.stringify({ [key]: definition.options }, null, 2);
  const problems = createProblemCollector(definition.name, text);
  const { root } = parseJsonSource(text);
  if (root === undefined) throw new Error("a block in code is no JSON");
  // An empty block is none: a file may leave it out.
  const hasBlock = pattern.block !== undefined && Object.keys(definition.options).length > 0;
  const schema = z.object(hasBlock ? { [key]: pattern.block } : {});
  for (const { error, range } of schemaProblems(schema, root)) problems.add(error, range);
  if (!isOk(problems.sorted())) return problems.sorted();
  for (const name of definition.functions ?? [])
    if (pattern.functions?.includes(name) !== true)
      problems.add(unaskedFunction(name, pattern), root);
  for (const { problem, hint = "" } of pattern.check?.(definition) ?? [])
    problems.add(roleUnfit({ problem, hint }), root);
  return problems.sorted();
}

function unaskedFunction(
  name: string,
  { name: pattern, functions = [] }: Pick<Pattern, "name" | "functions">,
) {
  const problem = `the pattern ${pattern} asks no function ${name}`;
  const hint = functions.length === 0 ? "take it out" : `it asks ${functions.join(", ")}`;
  return roleUnfit({ problem, hint });
}
