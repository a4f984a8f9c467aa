import { z } from "zod";
import type { WorkflowDefinition } from "../../../contracts/definition.ts";
import { NEWEST_FORMAT } from "../../../contracts/definition-format.ts";
import { sha256 } from "../../../foundation/hash.ts";
import { canonicalJson, toJson } from "../../../foundation/json.ts";
import { PARSE_ONCE } from "../../../foundation/parse-once.ts";
import { definitionInvalid } from "./errors.ts";
import { definitionSchema, shapeNamed } from "./registry.ts";

/** All that a run is made from beside code: stored whole in its journal, so that files may change (ENG-14). */
export interface RunRecipe {
  readonly definition: WorkflowDefinition;
  /** The cassette that scripted agents play, as it was read. */
  readonly cassette?: { readonly file: string; readonly source: string };
  /** Names of the guards of one's own that watch it: a run without them would not be the same. */
  readonly guards?: readonly string[];
  /** Names of the backends of one's own that agents of it have. */
  readonly backends?: readonly string[];
}

const recipeSchema = z.object({
  definition: z.looseObject({ shape: z.string() }),
  cassette: z.object({ file: z.string(), source: z.string() }).exactOptional(),
  guards: z.array(z.string()).exactOptional(),
  backends: z.array(z.string()).exactOptional(),
});

/** The recipe's text and the hash that names it in the journal. */
export function writeRecipe(recipe: RunRecipe): { readonly text: string; readonly hash: string } {
  const text = canonicalJson(toJson(recipe, "the definition of a run"));
  return { text, hash: sha256(text) };
}

const recordedFormat = z.object({
  format: z.number().optional(),
  workflows: z.record(z.string(), z.unknown()).optional(),
});

// Of a longer text so many values are checked that zod's compiling of their schemas pays.
const PARSED_ONCE_CHARS = 32 * 1024;

/** A recipe from a journal. Raises WORKFLOW_DEFINITION_INVALID. */
export async function readRecipe(run: string, text: string | undefined): Promise<RunRecipe> {
  if (text === undefined) throw definitionInvalid({ run, problem: "it is missing" });
  const options = text.length < PARSED_ONCE_CHARS ? PARSE_ONCE : {};
  const recipe = recipeSchema.safeParse(JSON.parse(text), PARSE_ONCE);
  if (!recipe.success) throw definitionInvalid({ run, problem: z.prettifyError(recipe.error) });
  const shape = shapeNamed(recipe.data.definition.shape);
  if (shape === undefined) {
    const problem = `it is of the unknown shape "${recipe.data.definition.shape}"`;
    throw definitionInvalid({ run, problem });
  }
  const schema = await definitionSchema(await shape.load());
  const definition = schema.safeParse(recipe.data.definition, options);
  if (definition.success) return { ...recipe.data, definition: definition.data };
  const problem = z.prettifyError(definition.error);
  throw definitionInvalid({ run, problem, isNewer: isNewer(recipe.data.definition) });
}

/** Whether a definition, or a workflow that its steps run, has a format that this version does not know. */
function isNewer(definition: unknown): boolean {
  const { format, workflows } = recordedFormat.safeParse(definition).data ?? {};
  if (format !== undefined && format > NEWEST_FORMAT) return true;
  return Object.values(workflows ?? {}).some(isNewer);
}
