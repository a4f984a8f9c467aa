import { refuseCall } from "../../app/authority/refuse-call.ts";
import type { Caller } from "../../app/machine/agent-above.ts";
import type { Machine } from "../../app/machine/machine.ts";
import { commandRun } from "../../app/run/commands/command-run.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { type TrajectoryRecord, trajectoryRecordSchema } from "../../contracts/trajectory.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { readText } from "../agents/read-operands.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { callToolOfRun, findDoor } from "./agent-door.ts";

/** Options of what is added to a trajectory. */
export interface RecordOptions {
  readonly run?: string;
  readonly question?: string;
  readonly reasoning?: string;
  readonly alternatives?: string;
  readonly confidence?: string;
  readonly focalPoints?: string;
  readonly adjustments?: string;
}

/** What was added, and where: the run is undefined for an agent, who has but one. */
export interface AddedRecord {
  readonly kind: TrajectoryRecord["kind"];
  readonly run: string | undefined;
}

/**
 * Adds to the trajectory of a run: as the person, or as the agent that this process stands below, in its own run alone.
 * Raises USAGE_INVALID, USAGE_SPEECH_BY_AGENT, what commandRun raises, and what the tool `record` raises.
 */
export async function addRecord(
  kind: TrajectoryRecord["kind"],
  given: { readonly text: string; readonly options: RecordOptions; readonly machine: Machine },
  invocation: Pick<Invocation, "io" | "settings">,
): Promise<AddedRecord> {
  const { options, machine } = given;
  const above = await invocation.io.agentAbove();
  const fields = toFields(options);
  const text = await readText(given.text, invocation);
  const record = toRecord(kind, text, fields);
  if (above !== undefined) {
    await asAgent({ kind, text, ...fields }, { above, asked: options.run }, invocation);
    return { kind, run: undefined };
  }
  const { run } = resolveTarget(machine, options.run ?? "@last");
  await commandRun(machine, run, { command: { kind: "record", record } });
  return { kind, run };
}

const CALLS = {
  decision: "troupe trail decision",
  finding: "troupe trail finding",
  reflection: "troupe trail reflect",
};

/** The token of the agent says who it is and in which run: nothing that is typed does. */
async function asAgent(
  input: { readonly kind: TrajectoryRecord["kind"]; readonly [field: string]: unknown },
  { above, asked }: { readonly above: NonNullable<Caller>; readonly asked: string | undefined },
  { io, settings }: Pick<Invocation, "io" | "settings">,
): Promise<Json> {
  const command = CALLS[input.kind];
  const isForeign = asked !== undefined && asked !== above.run;
  if (isForeign || io.env["TROUPE_CONTEXT_TOKEN"] === undefined)
    return refuseCall({ act: "speaks", command, above }, { cwd: settings.cwd, env: io.env });
  const { focalPoints, ...fields } = input;
  const told = { ...fields, ...present({ focal_points: focalPoints }) };
  return callToolOfRun(findDoor("trail", undefined, { env: io.env }), "record", toJson(told, "it"));
}

function toFields(options: RecordOptions) {
  const { question, reasoning, alternatives, confidence, focalPoints, adjustments } = options;
  return present({
    question,
    reasoning,
    alternatives: toItems(alternatives),
    confidence: confidence === undefined ? undefined : Number(confidence),
    focalPoints: toItems(focalPoints),
    adjustments,
  });
}

/** As agent-trajectories has it: commas part them. */
function toItems(given: string | undefined): readonly string[] | undefined {
  return given
    ?.split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** Raises USAGE_INVALID. */
function toRecord(
  kind: TrajectoryRecord["kind"],
  text: string,
  fields: ReturnType<typeof toFields>,
): TrajectoryRecord {
  const told = kind === "decision" ? { chosen: text } : { text };
  const parsed = trajectoryRecordSchema.safeParse({ kind, ...told, ...fields });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [field] = issue?.path ?? [];
  const what = field === undefined || field === "chosen" ? "the text" : `its ${String(field)}`;
  throw usageInvalid({ problem: `${what} cannot be recorded: ${issue?.message ?? "wrong"}` });
}
