import type { PatternDefinition } from "../../../contracts/definition.ts";
import type { Context } from "../../../contracts/ports/context.ts";
import type { Pattern } from "../../../contracts/ports/pattern.ts";
import type { Program } from "../../../contracts/ports/program.ts";
import { type Json, toJson } from "../../../foundation/json.ts";
import { builtInPatterns } from "../../../programs/patterns/registry.ts";
import { NO_CODE, type WorkflowCode } from "../code/workflow-code.ts";
import { patternDefinitionSchema } from "./definition-schema.ts";
import { patternUnknown } from "./errors.ts";

const PREFIX = "pattern/";

/** Patterns of one's own. */
type OwnPatterns = Pick<WorkflowCode, "patterns">;

/** The program of a pattern, as journals name it. Raises WORKFLOW_UNKNOWN_PATTERN. */
export function patternProgram(name: string, code?: OwnPatterns): Program<PatternDefinition> {
  const pattern = findPattern(name, code);
  return {
    name: `${PREFIX}${name}`,
    run: (context, definition) => pattern.run(context, definition),
  };
}

/** The program that a journal names; undefined when it is none of a pattern. */
export function patternProgramNamed(
  name: string,
  code: OwnPatterns = NO_CODE,
): Program<PatternDefinition> | undefined {
  const known = [...builtInPatterns, ...code.patterns];
  const isKnown = known.some((pattern) => `${PREFIX}${pattern.name}` === name);
  return isKnown ? patternProgram(name.slice(PREFIX.length), code) : undefined;
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
export function findPattern(name: string, { patterns }: OwnPatterns = NO_CODE): Pattern {
  const known = [...builtInPatterns, ...patterns];
  const pattern = known.find((candidate) => candidate.name === name);
  if (pattern !== undefined) return pattern;
  throw patternUnknown({ pattern: name, known: known.map((one) => one.name) });
}

/** The pattern of a name, for whoever reads its runs only: the code of one of one's own may not be here. */
export function patternToRead(name: string, { patterns }: OwnPatterns): Omit<Pattern, "run"> {
  const known = [...builtInPatterns, ...patterns].find((candidate) => candidate.name === name);
  return known ?? { name, summary: "", onFailure: "continue", order: "mode" };
}
