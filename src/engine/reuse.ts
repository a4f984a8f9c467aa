import { z } from "zod";
import type { ReusableStep, ReuseKey, ReuseTable } from "../contracts/events/reuse.ts";
import { reuseInvalid } from "./errors.ts";

const reuseTable: z.ZodType<ReuseTable> = z.object({
  v: z.literal(1),
  steps: z.array(
    z.object({
      path: z.string(),
      execution: z.number(),
      inputHash: z.string(),
      reusedFrom: z.object({ run: z.string(), seq: z.number() }),
      attempt: z.number(),
      output: z.string(),
      outputTruncated: z.boolean().exactOptional(),
      text: z.string().exactOptional(),
      reason: z.enum(["done-signal", "verified", "exit", "released", "timeout", "failed"]),
      durationMs: z.number(),
      agent: z.string().exactOptional(),
      outcome: z.string().exactOptional(),
      data: z.json().exactOptional(),
    }),
  ),
});

/** Answers what a run may take over, by the text of its table in the journal. Raises ENGINE_REUSE_INVALID. */
export function createReuse(
  run: string,
  text: string | undefined,
): (key: ReuseKey) => ReusableStep | undefined {
  if (text === undefined) throw reuseInvalid({ run, problem: "it is missing" });
  const steps = new Map(
    parse(run, text).steps.map(({ path, execution, ...step }) => [
      keyOf({ path, execution, inputHash: step.inputHash }),
      step,
    ]),
  );
  return (key) => steps.get(keyOf(key));
}

function parse(run: string, text: string): ReuseTable {
  const table = reuseTable.safeParse(JSON.parse(text));
  if (table.success) return table.data;
  throw reuseInvalid({ run, problem: z.prettifyError(table.error) });
}

function keyOf({ path, execution, inputHash }: ReuseKey): string {
  return `${path}\n${execution}\n${inputHash}`;
}
