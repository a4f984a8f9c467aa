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
export async function patternProgram(name: string): Promise<Program<PatternDefinition>> {
  const pattern = await loadPattern(name);
  return {
    name: `${PREFIX}${name}`,
    run: (context, definition) => pattern.run(context, definition),
  };
}

/** The program that a journal names; undefined when it is none of a pattern. */
export async function patternProgramNamed(
  name: string,
): Promise<Program<PatternDefinition> | undefined> {
  const isKnown = builtInPatterns.some((pattern) => `${PREFIX}${pattern.name}` === name);
  return isKnown ? patternProgram(name.slice(PREFIX.length)) : undefined;
}

/** Carries out a pattern inside another program; its options are a definition of that pattern. */
export type RunPattern = (context: Context, name: string, options: Json) => Promise<Json>;

/**
 * What carries out these patterns inside of programs. They are loaded before: a program waits for nothing but what its
 * context gives it. Raises WORKFLOW_UNKNOWN_PATTERN for all others.
 */
export function createPatternRunner(patterns: readonly Pattern[] = []): RunPattern {
  return async (context, name, options) => {
    const definition = patternDefinitionSchema.parse(options);
    const pattern = patterns.find((candidate) => candidate.name === name);
    if (pattern === undefined) throw unknown(name);
    return toJson(await pattern.run(context, definition), `the result of pattern "${name}"`);
  };
}

/** The pattern of a name. Raises WORKFLOW_UNKNOWN_PATTERN. */
export async function loadPattern(name: string): Promise<Pattern> {
  const pattern = builtInPatterns.find((candidate) => candidate.name === name);
  if (pattern === undefined) throw unknown(name);
  return pattern.load();
}

function unknown(pattern: string): Error {
  return patternUnknown({ pattern, known: builtInPatterns.map(({ name }) => name) });
}
