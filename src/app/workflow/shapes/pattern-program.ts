import type { PatternDefinition } from "../../../contracts/definition.ts";
import type { Context } from "../../../contracts/ports/context.ts";
import type { Pattern } from "../../../contracts/ports/pattern.ts";
import type { Program } from "../../../contracts/ports/program.ts";
import { type Json, toJson } from "../../../foundation/json.ts";
import { builtInPatterns } from "../../../programs/patterns/registry.ts";
import { patternDefinitionSchema } from "./definition-schema.ts";
import { patternUnknown } from "./errors.ts";

const PREFIX = "pattern/";

/** The program of a pattern, as journals name it. Raises WORKFLOW_UNKNOWN_PATTERN. */
export function patternProgram(name: string): Program<PatternDefinition> {
  const pattern = findPattern(name);
  return {
    name: `${PREFIX}${name}`,
    run: (context, definition) => pattern.run(context, definition),
  };
}

/** The program that a journal names; undefined when it is none of a pattern. */
export function patternProgramNamed(name: string): Program<PatternDefinition> | undefined {
  const isKnown = builtInPatterns.some((pattern) => `${PREFIX}${pattern.name}` === name);
  return isKnown ? patternProgram(name.slice(PREFIX.length)) : undefined;
}

/** Carries out a pattern inside another program; its options are a definition of that pattern. */
export async function runPattern(context: Context, name: string, options: Json): Promise<Json> {
  const definition = patternDefinitionSchema.parse(options);
  return toJson(
    await findPattern(name).run(context, definition),
    `the result of pattern "${name}"`,
  );
}

/** The pattern of a name. Raises WORKFLOW_UNKNOWN_PATTERN. */
export function findPattern(name: string): Pattern {
  const pattern = builtInPatterns.find((candidate) => candidate.name === name);
  if (pattern !== undefined) return pattern;
  throw patternUnknown({ pattern: name, known: builtInPatterns.map((known) => known.name) });
}
