import { z } from "zod";
import { defineTool } from "../contracts/tool.ts";
import { type TrajectoryRecord, trajectoryRecordSchema } from "../contracts/trajectory.ts";
import { present } from "../foundation/present.ts";
import { ADDS } from "./parts/annotations.ts";
import { toolInputInvalid } from "./parts/errors.ts";

const text = z.string().min(1).max(4000);
const item = z.string().min(1).max(500);

// Flat, because providers of models refuse a choice between shapes at the top of a schema.
const input = z.strictObject({
  kind: z.enum(["decision", "finding", "reflection"]).describe("What it is"),
  text: text.describe("What was chosen, found out or made of the work"),
  question: item.exactOptional().describe("Of a decision: what was to decide"),
  reasoning: text.exactOptional().describe("Of a decision: why"),
  alternatives: z
    .array(item)
    .max(20)
    .exactOptional()
    .describe("Of a decision: what was not chosen"),
  confidence: z
    .number()
    .min(0)
    .max(1)
    .exactOptional()
    .describe("Of a decision or reflection: how sure you are"),
  focal_points: z
    .array(item)
    .max(20)
    .exactOptional()
    .describe("Of a reflection: what you asked of the work"),
  adjustments: text.exactOptional().describe("Of a reflection: what you change"),
});

/** Adds to the trajectory of the run. */
export const record = defineTool({
  name: "record",
  title: "Record for later work",
  description:
    "Add to the story of this run, which is kept for whoever works on the like later: a `decision` with its reasoning, a `finding` that was not known before, or a `reflection` on how the work goes. It wakes nobody and changes nothing else. Record what matters, not every step.",
  annotations: ADDS,
  needs: "trajectory",
  input,
  call: async (given, context) => {
    context.record(toRecord(given));
    return { recorded: true, kind: given.kind };
  },
});

/** Raises AGENT_TOOL_INPUT_INVALID for what does not belong to the kind. */
function toRecord({
  kind,
  text: told,
  focal_points: focalPoints,
  ...rest
}: z.infer<typeof input>): TrajectoryRecord {
  const said = kind === "decision" ? { chosen: told } : { text: told };
  const parsed = trajectoryRecordSchema.safeParse({
    kind,
    ...said,
    ...present({ ...rest, focalPoints }),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [named] = issue?.code === "unrecognized_keys" ? issue.keys : (issue?.path ?? []);
  const field = named === "chosen" ? "text" : String(named ?? "");
  const problem = issue?.code === "unrecognized_keys" ? `a ${kind} has none` : issue?.message;
  throw toolInputInvalid({ tool: "record", field, problem: problem ?? "wrong" });
}
