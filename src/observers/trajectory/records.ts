import type { EventData, JournalEvent } from "../../contracts/events/event.ts";
import type { TrajectoryEvent, TrajectorySpec } from "../../contracts/trajectory.ts";
import {
  describeAdjustment,
  describeAdvance,
  TOLD_OTHERWISE,
} from "../../fold/describe-advance.ts";
import { present } from "../../foundation/present.ts";
import { clipText } from "./clip-text.ts";

/** What a trajectory tells of an event, without its time. */
type EventRecord = Omit<TrajectoryEvent, "ts">;

type Told = Pick<TrajectorySpec, "autoRecordMessages" | "autoRecordReflections">;

/** What tells of events of one type; undefined where there is nothing to tell. */
type Recorders = {
  readonly [Type in EventData["type"]]?: (
    event: Extract<JournalEvent, { type: Type }>,
    told: Told,
  ) => EventRecord | undefined;
};

// Of tools and files the journal holds all: here is only what a reader looks for.
const TOOL_CHARS = 300;

const RECORDERS: Recorders = {
  "run-created": ({ workflow, task = "" }) => ({
    ...{ type: "prompt", content: clipText(task, workflow), significance: "medium" },
  }),
  "run-forked": ({ source }) => note(`goes its own way after event ${source.seq} of ${source.run}`),
  "definition-changed": ({ file }) => note(`goes on with ${file}`),
  "run-suspended": ({ reason }) => note(`let go: ${reason}`),
  "run-resumed": () => note("goes on"),
  "run-ended": ({ outcome, reason, error }) => {
    const why = clipText(error?.message ?? reason, outcome);
    if (outcome !== "completed") return high("note", `Abandoned: ${outcome}: ${why}`);
    return high("completion-marker", why);
  },
  "cancellation-requested": ({ by, reason }) => high("note", `${by} cancels it: ${reason}`),
  "agent-spawned": ({ agent, backend }) => note(`${agent} joins (${backend})`, "low"),
  "agent-exited": ({ agent, reason, error }) =>
    error === undefined
      ? note(`${agent} leaves: ${reason}`, "low")
      : high("error", `${agent} leaves: ${error.message}`),
  "agent-nudged": ({ agent, rung, observation }) => note(`${agent} ${observation}: ${rung}`),
  "agent-restarted": ({ agent, by }) => note(`${by} lets ${agent} begin anew`),
  "turn-completed": ({ agent, text, signals }, { autoRecordMessages }) =>
    // What a signal says stands in an event of its own.
    autoRecordMessages && signals.length === 0 && text.trim() !== ""
      ? { type: "message_received", content: clipText(`${agent}: ${text}`, agent) }
      : undefined,
  "turn-failed": ({ agent, error }) => high("error", `${agent}: ${error.message}`),
  "turn-interrupted": ({ agent, turn, reason }) =>
    note(`turn ${turn} of ${agent} is cut off: ${reason}`, "low"),
  "tool-called": ({ tool, input }) => {
    const content = clipText(`${tool} ${JSON.stringify(input)}`, tool, TOOL_CHARS);
    return { type: "tool_call", content, significance: "low" };
  },
  "tool-returned": ({ tool, isError, result }) => {
    const content = clipText(`${tool}: ${result}`, tool, TOOL_CHARS);
    return { type: "tool_result", content, significance: isError ? "medium" : "low" };
  },
  "file-changed": ({ kind, path }) => note(`${kind} ${path}`, "low"),
  "signal-received": ({ agent, signal, counted }, told) => {
    const { kind, value, reason = "", confidence } = signal;
    if (!counted) return undefined;
    if (kind === "reflect")
      return told.autoRecordReflections ? high("reflection", clipText(value, kind)) : undefined;
    const type = kind === "blocked" || kind === "failed" ? "error" : "message_received";
    if (type === "message_received" && !told.autoRecordMessages) return undefined;
    const words = [value, reason].filter((part) => part !== "").join(", ");
    const content = clipText(`${agent}: ${kind.toUpperCase()}: ${words}`, kind);
    const significance = type === "error" ? "high" : "medium";
    return { type, content, significance, ...present({ confidence }) };
  },
  "message-posted": ({ from, to, text }, { autoRecordMessages }) => {
    if (!autoRecordMessages) return undefined;
    const head = to === undefined ? from : `${from} to ${to.join(", ")}`;
    const content = clipText(`${head}: ${text}`, from);
    return { type: "message_received", content, significance: "medium" };
  },
  "document-changed": ({ by, document, revision }) =>
    note(`${by} writes revision ${revision} of ${document}`, "low"),
  "step-started": ({ attempt, agent = "nobody" }) =>
    attempt > 1 ? note(`attempt ${attempt}, by ${agent}`) : undefined,
  "step-retrying": ({ attempt, error }) =>
    high("error", `attempt ${attempt} failed: ${error.message}`),
  "step-failed": ({ error }) => high("error", `failed: ${error.message}`),
  "step-completed": ({ output, reusedFrom, reason }) => {
    const taken = reusedFrom === undefined ? "" : `taken over from ${reusedFrom.run}: `;
    return high("completion-evidence", clipText(`${taken}${output}`, reason));
  },
  "step-skipped": ({ reason }) => note(`skipped: ${reason}`),
  "step-blocked": ({ by }) => note(`cannot start: ${by.join(", ")} failed`),
  "step-cancelled": ({ reason }) => note(`cancelled: ${reason}`),
  "verification-passed": ({ check }) => {
    return { type: "completion-evidence", content: `passed: ${check}`, significance: "medium" };
  },
  "verification-failed": ({ check, output }) =>
    high("error", `did not pass: ${check}: ${clipText(output, "no output")}`),
  "tests-changed": ({ step, files, more }) => {
    const rest = more === 0 ? "" : ` and ${more} more`;
    return high("finding", `${step} changed tests: ${files.join(", ")}${rest}`);
  },
  "place-breached": ({ agent, breaches }) =>
    high("finding", `${agent} left its place: ${breaches.map(({ path }) => path).join(", ")}`),
  "place-settled": ({ agent, branch, commit }) =>
    commit === undefined ? undefined : note(`${agent} leaves ${commit} on ${branch}`),
  "pattern-advanced": (move) =>
    TOLD_OTHERWISE.has(move.kind) ? undefined : note(clipText(describeAdvance(move), move.kind)),
  "budget-exceeded": ({ of, meter, limit }) =>
    high("error", `the ${meter} limit of the ${of} is reached: ${limit}`),
  "reflection-made": ({ by, synthesis, adjustments, confidence }, told) => {
    if (!told.autoRecordReflections) return undefined;
    const changes = adjustments.map((each) => `\n${describeAdjustment(each)}`).join("");
    return { ...high("reflection", `${by}: ${synthesis}${changes}`), confidence };
  },
  "record-added": ({ by, record }) => {
    // Decisions are told as such.
    if (record.kind === "decision") return undefined;
    if (record.kind === "finding") return high("finding", `${by}: ${record.text}`);
    const { text, focalPoints, adjustments, confidence } = record;
    const raw = present({ focalPoints, adjustments, confidence });
    return {
      ...high("reflection", `${by}: ${text}`),
      ...present({ confidence, raw: Object.keys(raw).length === 0 ? undefined : raw }),
    };
  },
  "guard-tripped": ({ guard, reason }) => high("error", `${guard}: ${reason}`),
  "child-started": ({ child, workflow }) => note(`starts ${workflow} as ${child}`),
  "child-ended": ({ child, outcome, reason }) => note(`${child} ends: ${outcome}, ${reason}`),
  log: ({ level, text }) => {
    const content = clipText(text, level);
    return level === "error" ? high("error", content) : note(content, "low");
  },
};

/** What a trajectory tells of an event; undefined where that is nothing. Decisions are told otherwise. */
export function recordOf(event: JournalEvent, told: Told): EventRecord | undefined {
  return recordBy(event.type, event, told);
}

function recordBy<Type extends EventData["type"]>(
  type: Type,
  event: JournalEvent,
  told: Told,
): EventRecord | undefined {
  const recorder = RECORDERS[type];
  return recorder === undefined || !isOf(event, type) ? undefined : recorder(event, told);
}

function isOf<Type extends EventData["type"]>(
  event: JournalEvent,
  type: Type,
): event is Extract<JournalEvent, { type: Type }> {
  return event.type === type;
}

function note(text: string, significance: "low" | "medium" = "medium"): EventRecord {
  return { type: "note", content: clipText(text, "note"), significance };
}

function high(type: string, text: string): EventRecord {
  return { type, content: clipText(text, type), significance: "high" };
}
