import { z } from "zod";
import { ADJUSTMENT_ACTIONS, type ReflectionAdjustment } from "../../contracts/reflection.ts";
import { isRecord } from "../../foundation/json.ts";

// What a reflection says is to change: read from its words, with nothing taken for granted.

const MAX_ADJUSTMENTS = 20;
const MAX_CONTENT_CHARS = 32_768;
const FENCE = "```";
const SHOWN_CHARS = 200;

/** What somebody said of the work, and what is to change. */
export interface ReadReflection {
  readonly synthesis: string;
  readonly adjustments: readonly ReflectionAdjustment[];
  /** What is no adjustment although it stands there as one, in words. */
  readonly faults: readonly string[];
}

const adjustmentSchema = z.object({
  agent: z.string().min(1).max(200),
  action: z.enum(ADJUSTMENT_ACTIONS),
  content: z.string().max(MAX_CONTENT_CHARS).exactOptional(),
});

/** Takes what was said apart: the first fenced block that is JSON with `adjustments` says what is to change. */
export function readReflection(said: string): ReadReflection {
  const pieces = said.split(FENCE);
  const index = pieces.findIndex((piece, at) => at % 2 === 1 && piece.includes('"adjustments"'));
  const piece = pieces[index];
  if (piece === undefined) return { synthesis: said.trim(), adjustments: [], faults: [] };
  const rest = [pieces.slice(0, index).join(FENCE), pieces.slice(index + 1).join(FENCE)];
  const synthesis = rest
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
  return { synthesis, ...toAdjustments(parseJson(piece)) };
}

function parseJson(piece: string): unknown {
  const start = piece.indexOf("{");
  try {
    return JSON.parse(piece.slice(Math.max(0, start)));
  } catch {
    return undefined;
  }
}

/** The adjustments in a value, and what is wrong with the others. */
export function toAdjustments(value: unknown): Omit<ReadReflection, "synthesis"> {
  const listed = isRecord(value) ? value["adjustments"] : undefined;
  if (!Array.isArray(listed))
    return { adjustments: [], faults: ["its adjustments are no JSON with a list `adjustments`"] };
  const read = listed
    .slice(0, MAX_ADJUSTMENTS)
    .map((entry: unknown) => ({ entry, ...adjustmentSchema.safeParse(entry) }));
  const more = listed.length - MAX_ADJUSTMENTS;
  return {
    adjustments: read.flatMap(({ data }) => (data === undefined ? [] : [data])),
    faults: [
      ...read.flatMap(({ entry, error }) =>
        error === undefined ? [] : [`no adjustment: ${shown(entry)}: ${z.prettifyError(error)}`],
      ),
      ...(more > 0 ? [`${more} adjustments over the ${MAX_ADJUSTMENTS} that one may have`] : []),
    ],
  };
}

function shown(entry: unknown): string {
  return (JSON.stringify(entry) ?? "nothing").slice(0, SHOWN_CHARS).toWellFormed();
}
