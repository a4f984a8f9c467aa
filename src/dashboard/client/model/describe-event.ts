import type { EventData, EventOf, JournalEvent } from "../../../contracts/events/event.ts";
import {
  describeAdjustment,
  describeAdvance,
  describeRecord,
} from "../../../fold/describe-advance.ts";
import { repeatedText } from "../../../fold/state/call-trail.ts";
import { toAskedCall } from "../../../foundation/asked-call.ts";
import { namedFiles } from "../../../foundation/named-files.ts";

const MAX_CHARS = 200;

type Sentences = {
  readonly [Type in EventData["type"]]?: (event: EventOf<Type>) => string;
};

const SENTENCES: Sentences = {
  "run-created": ({ workflow, instance }) => `${workflow} @${instance}`,
  "run-forked": ({ source }) => `${source.run} after event ${source.seq}`,
  "definition-changed": ({ file }) => file,
  "run-suspended": ({ reason }) => reason,
  "run-ended": ({ outcome, reason }) => (reason === "" ? outcome : `${outcome}: ${reason}`),
  "cancellation-requested": ({ by, reason }) => `${by}: ${reason}`,
  "requests-refused": ({ door, code, agent, command, count }) =>
    join(agent, door, command, code, `${count} times`),
  "command-received": ({ by, command }) => `${by}: ${command.kind}`,
  "operation-scheduled": ({ op }) => op,
  "operation-attempted": ({ op, attempt, cause }) => `${op} attempt ${attempt} after ${cause}`,
  "operation-settled": ({ op, outcome }) => `${op} ${outcome.status}`,
  "agent-spawned": ({ agent, backend }) => `${agent} on ${backend}`,
  "agent-ready": ({ agent, session }) => `${agent} session ${session}`,
  "agent-placed": ({ agent, isolation, worktree, isConfined }) =>
    join(
      agent,
      isolation,
      worktree?.branch,
      isConfined === false ? "without its bounds" : undefined,
    ),
  "place-breached": ({ agent, turn, breaches, failed }) =>
    join(
      agent,
      `turn ${turn}`,
      failed ? "failed" : undefined,
      breaches.map(({ rule, path, reason }) => join(`${rule} ${path}`, reason)).join(", "),
    ),
  "place-settled": ({ agent, branch, files }) => join(agent, branch, `${files} files`),
  "agent-status": ({ agent, status, reason }) => join(agent, status, reason),
  "agent-nudged": ({ agent, turn, rung, observation }) =>
    join(agent, `turn ${turn}`, rung, observation),
  "agent-restarted": ({ agent, by }) => join(agent, by),
  "status-set": ({ agent, text }) => join(agent, text),
  "agent-mode-set": ({ agent, mode = "as declared", by }) => join(agent, mode, by),
  "agent-model-set": ({ agent, model = "as declared", by }) => join(agent, model, by),
  "compaction-asked": ({ agent, by }) => join(agent, by),
  "session-ended": ({ agent, reason }) => join(agent, reason),
  "agent-exited": ({ agent, reason }) => join(agent, reason),
  "turn-started": ({ agent, turn, step }) => join(agent, `turn ${turn}`, step?.path),
  "turn-completed": ({ agent, turn, text }) => join(agent, `turn ${turn}`, text),
  "turn-failed": ({ agent, turn, error }) => join(agent, `turn ${turn}`, error.message),
  "turn-interrupted": ({ agent, turn, reason }) => join(agent, `turn ${turn}`, reason),
  "tool-called": ({ agent, tool, input }) => join(agent, tool, JSON.stringify(input)),
  "tool-returned": ({ agent, tool, isError, result }) =>
    join(agent, tool, isError ? "error" : undefined, result),
  "file-changed": ({ agent, kind, path }) => join(agent, kind, path),
  "signal-received": ({ agent, signal, counted }) =>
    join(agent, signal.kind, signal.value, counted ? undefined : "does not count"),
  "author-told": ({ agent, text }) => join(agent, text),
  "collab-began": ({ agent, operation, agents, prompt }) =>
    join(agent, operation, agents.join(", "), prompt),
  "collab-ended": ({ agent, operation, statuses, timedOut, error }) =>
    join(
      agent,
      operation,
      Object.entries(statuses)
        .map(([id, status]) => `${id} ${status}`)
        .join(", "),
      timedOut ? "timed out" : undefined,
      error?.message,
    ),
  "message-posted": ({ from, to, text }) =>
    join(from, to === undefined ? undefined : `to ${to.join(", ")}`, text),
  "message-copied": ({ agent, of, direction }) => `${direction} of ${of} to ${agent}`,
  "shadow-called": ({ agent, trigger }) => join(agent, trigger),
  "message-delivered": ({ agent, ids }) => `${ids.length} to ${agent}`,
  "message-acked": ({ agent, ids }) => `${ids.length} by ${agent}`,
  "message-dead": ({ agent, attempts }) => `${agent}, after ${attempts} attempts`,
  "document-changed": ({ document, revision, by }) => `${document} revision ${revision} by ${by}`,
  "approval-requested": ({ agent, message }) => join(agent, message),
  "approval-resolved": ({ decision, by, comment }) => join(`${decision} by ${by}`, comment),
  "approval-deferred": ({ agent, approval }) => join(agent, `no longer waits for ${approval}`),
  "permission-requested": ({ agent, tool, input, repeats }) =>
    join(agent, toAskedCall(tool, input).line, repeats && repeatedText(repeats)),
  "permission-used": ({ agent, id, attempt }) => join(agent, id, `attempt ${attempt}`),
  "permission-resolved": ({ decision, by, comment }) => join(`${decision} by ${by}`, comment),
  "question-asked": ({ agent, text }) => join(agent, text),
  "question-answered": ({ by, answer }) => join(by, answer),
  "request-received": ({ agent, tool }) => join(agent, tool),
  "step-started": ({ path, agent, attempt }) => join(path, agent, `attempt ${attempt}`),
  "step-completed": ({ path, output }) => join(path, output),
  "step-failed": ({ path, error }) => join(path, error.message),
  "step-retrying": ({ path, attempt, error }) => join(path, `attempt ${attempt}`, error.message),
  "step-skipped": ({ path, reason }) => join(path, reason),
  "step-blocked": ({ path, by }) => `${path} by ${by.join(", ")}`,
  "step-cancelled": ({ path, reason }) => join(path, reason),
  "budget-reserved": ({ agent, turn, step }) => join(agent, `turn ${turn}`, step),
  "budget-settled": ({ agent, turn, step }) => join(agent, `turn ${turn}`, step),
  "budget-warned": ({ of, meter, cause, spent, limit }) =>
    join(`${meter} of the ${of}`, cause, `${spent} of ${limit}`),
  "budget-exceeded": ({ of, meter, spent, limit }) =>
    join(`${meter} of the ${of}`, `${spent} of ${limit}`),
  "tests-changed": ({ step, files, more }) => join(step, namedFiles({ files, more })),
  "verification-passed": ({ step, check }) => join(step, check),
  "verification-failed": ({ step, check, output }) => join(step, check, output),
  "pattern-advanced": describeAdvance,
  "reflection-made": ({ by, synthesis, adjustments }) =>
    join(by, synthesis, ...adjustments.map(describeAdjustment)),
  "record-added": ({ by, record }) => join(by, describeRecord(record)),
  "guard-tripped": ({ guard, reason }) => join(guard, reason),
  log: ({ level, text }) => join(level, text),
};

/** What an event says, in one line; empty for a type without a sentence of its own. */
export function describeEvent(event: JournalEvent): string {
  return describe(event);
}

function describe<Type extends EventData["type"]>(
  event: EventOf<Type> & { readonly type: Type },
): string {
  const sentences: { readonly [Each in Type]?: (event: EventOf<Each>) => string } = SENTENCES;
  return sentences[event.type]?.(event) ?? "";
}

function join(...parts: readonly (string | undefined)[]): string {
  const text = parts.filter((part) => part !== undefined && part !== "").join(" · ");
  return text.slice(0, MAX_CHARS).toWellFormed().replace(/\s+/gu, " ");
}
