import type { PatternDefinition } from "../../../contracts/definition.ts";
import type { Context } from "../../../contracts/ports/context.ts";
import type { Pattern } from "../../../contracts/ports/pattern.ts";
import type { Program } from "../../../contracts/ports/program.ts";
import { type Json, toJson } from "../../../foundation/json.ts";
import { type BuiltInPattern, builtInPatterns } from "../../../programs/patterns/registry.ts";
import { NO_CODE, type WorkflowCode } from "../code/workflow-code.ts";
import { patternDefinitionSchema } from "./definition-schema.ts";
import { patternUnknown } from "./errors.ts";

const PREFIX = "pattern/";

/** Patterns of one's own, and what others ask of one's own. */
type OwnPatterns = Pick<WorkflowCode, "patterns" | "routes">;

/** The program of a pattern, as journals name it. Raises WORKFLOW_UNKNOWN_PATTERN. */
export async function patternProgram(
  name: string,
  code?: OwnPatterns,
): Promise<Program<PatternDefinition>> {
  const pattern = await loadPattern(name, code);
  return {
    name: `${PREFIX}${name}`,
    run: (context, definition) => pattern.run(context, definition),
  };
}

/** The program that a journal names; undefined when it is none of a pattern. */
export async function patternProgramNamed(
  name: string,
  code: OwnPatterns = NO_CODE,
): Promise<Program<PatternDefinition> | undefined> {
  const isKnown = knownPatterns(code).some((pattern) => `${PREFIX}${pattern.name}` === name);
  return isKnown ? patternProgram(name.slice(PREFIX.length), code) : undefined;
}

/** Carries out a pattern inside another program; its options are a definition of that pattern. */
export type RunPattern = (context: Context, name: string, options: Json) => Promise<Json>;

/**
 * What carries out these patterns inside of programs. They are loaded before: a program waits for nothing but what its
 * context gives it. Raises WORKFLOW_UNKNOWN_PATTERN for all others.
 */
export function createPatternRunner(
  patterns: readonly Pattern[] = [],
  routes: WorkflowCode["routes"] = [],
): RunPattern {
  return async (context, name, options) => {
    const definition = patternDefinitionSchema.parse(options);
    const pattern = patterns.find((candidate) => candidate.name === name);
    if (pattern === undefined)
      throw patternUnknown({ pattern: name, known: patterns.map((known) => known.name) });
    const chosen = pattern.withTests?.(routes) ?? pattern;
    return toJson(await chosen.run(context, definition), `the result of pattern "${name}"`);
  };
}

/** Patterns that workflows may name: those of this version, and those of one's own. */
export function knownPatterns({
  patterns,
}: Pick<WorkflowCode, "patterns">): readonly BuiltInPattern[] {
  return [...builtInPatterns, ...patterns.map((own) => ({ ...own, load: async () => own }))];
}

/** The pattern of a name. Raises WORKFLOW_UNKNOWN_PATTERN. */
export async function loadPattern(name: string, code: OwnPatterns = NO_CODE): Promise<Pattern> {
  const pattern = knownPatterns(code).find((candidate) => candidate.name === name);
  if (pattern === undefined) throw unknown(name, code);
  const loaded = await pattern.load();
  return loaded.withTests?.(code.routes) ?? loaded;
}

/** The pattern of a name, for whoever reads its runs only: the code of one of one's own may not be here. */
export async function patternToRead(
  name: string,
  code: OwnPatterns,
): Promise<Omit<Pattern, "run">> {
  const known = knownPatterns(code).find((candidate) => candidate.name === name);
  return known?.load() ?? { name, summary: "", onFailure: "continue", order: "mode" };
}

function unknown(pattern: string, code: OwnPatterns): Error {
  return patternUnknown({ pattern, known: knownPatterns(code).map(({ name }) => name) });
}
