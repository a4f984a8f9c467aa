import { z } from "zod";
import type { OperationCall, OperationHandler } from "../../contracts/operation.ts";
import type { ApprovalDecision, PersonAnswer } from "../../contracts/ports/context.ts";
import { requestId } from "../../fold/request-id.ts";
import { rejectOnAbort } from "../../foundation/abort.ts";
import type { Timer } from "../../foundation/clock.ts";
import { leftMs } from "../../foundation/duration.ts";
import { sha256 } from "../../foundation/hash.ts";
import { toIsoTime } from "../../foundation/iso-time.ts";
import { canonicalJson, type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import type { RunRuntime } from "../run-runtime.ts";

const approvalInput = z.object({
  message: z.string(),
  step: z.string().exactOptional(),
  show: z.json().exactOptional(),
  timeoutMs: z.number().exactOptional(),
  onTimeout: z.enum(["reject", "approve"]).exactOptional(),
  purpose: z.enum(["approval", "pause"]).exactOptional(),
});

const questionInput = z.object({ text: z.string(), agent: z.string() });

type ApprovalInput = z.infer<typeof approvalInput>;

/** `approval`: asks a person and waits for `approval-resolved`, over any number of owners. */
export function approvalHandler(runtime: RunRuntime): OperationHandler {
  const waiters = new Map<string, () => void>();
  runtime.onAppended((event) => {
    if (event.type === "approval-resolved") waiters.get(event.approval)?.();
  });
  return {
    kind: "approval",
    effect: "journal",
    waitsFor: "person",
    execute: async (input, call) => {
      const spec = approvalInput.parse(input);
      const approval = approvalId(runtime, call);
      requestOnce(runtime, { approval, spec, call });
      const aborted = rejectOnAbort(call.signal);
      const timer = startTimeout(runtime, { approval, spec, call });
      try {
        const resolved = new Promise<void>((resolve) => waiters.set(approval, resolve));
        if (decisionOf(runtime, approval) === undefined)
          await Promise.race([resolved, aborted.promise]);
        return toJson(decisionOf(runtime, approval), approval);
      } finally {
        timer?.cancel();
        aborted.stop();
        waiters.delete(approval);
      }
    },
  };
}

/** `question`: asks a person in the name of an agent, and waits for `question-answered`, over any number of owners. */
export function questionHandler(runtime: RunRuntime): OperationHandler {
  const waiters = new Map<string, () => void>();
  runtime.onAppended((event) => {
    if (event.type === "question-answered") waiters.get(event.id)?.();
  });
  return {
    kind: "question",
    effect: "journal",
    waitsFor: "person",
    execute: async (input, call) => {
      const { text, agent } = questionInput.parse(input);
      const id = questionId(runtime, call);
      const { inbox, resolved } = runtime.state;
      if (!inbox.has(id) && !resolved.has(id))
        runtime.append({ type: "question-asked", id, asker: call.op, op: call.op, agent, text });
      const aborted = rejectOnAbort(call.signal);
      try {
        const answered = new Promise<void>((resolve) => waiters.set(id, resolve));
        if (answerOf(runtime, id) === undefined) await Promise.race([answered, aborted.promise]);
        return toJson(answerOf(runtime, id), id);
      } finally {
        aborted.stop();
        waiters.delete(id);
      }
    },
  };
}

/** What a decision is bound to. */
export function approvalHash(shown: {
  readonly message: string;
  readonly show?: Json | undefined;
}): string {
  const { message, show } = shown;
  return sha256(canonicalJson(toJson({ message, show }, "what is to be approved")));
}

interface Asking {
  readonly approval: string;
  readonly spec: ApprovalInput;
  readonly call: OperationCall;
}

function approvalId(runtime: RunRuntime, call: OperationCall): string {
  const { run, state } = runtime;
  const seed = `${run}:${state.run.seed}:${call.op}`;
  return requestId(state, { prefix: "apr", asker: call.op, seed });
}

function requestOnce(runtime: RunRuntime, { approval, spec, call }: Asking): void {
  if (runtime.state.inbox.has(approval) || runtime.state.resolved.has(approval)) return;
  const { message, step, show, timeoutMs, purpose } = spec;
  runtime.append({
    type: "approval-requested",
    approval,
    op: call.op,
    message,
    ...present({ step, purpose, show }),
    hash: approvalHash({ message, show }),
    ...(timeoutMs === undefined ? {} : { expiresAt: toIsoTime(call.scheduledAt + timeoutMs) }),
  });
}

function startTimeout(runtime: RunRuntime, { approval, spec, call }: Asking): Timer | undefined {
  const { timeoutMs, onTimeout = "reject" } = spec;
  if (timeoutMs === undefined) return undefined;
  const decision = onTimeout === "approve" ? "approved" : "rejected";
  const decide = () => {
    if (!runtime.state.resolved.has(approval))
      runtime.append({ type: "approval-resolved", approval, decision, by: "timeout" });
  };
  const remainingMs = leftMs(call.scheduledAt, timeoutMs, runtime.timers.now());
  if (remainingMs > 0) return runtime.timers.startTimer(remainingMs, decide);
  // It fell due while nobody ran the run, which must not be let go again before that has counted.
  decide();
  return undefined;
}

function decisionOf(runtime: RunRuntime, approval: string): ApprovalDecision | undefined {
  const resolution = runtime.state.resolved.get(approval);
  if (resolution?.kind !== "approval") return undefined;
  const { decision, by, comment, edited } = resolution;
  return { approved: decision === "approved", by, ...present({ comment, edited }) };
}

function questionId({ run, state }: RunRuntime, { op }: OperationCall): string {
  return requestId(state, { prefix: "qst", asker: op, seed: `${run}:${state.run.seed}:${op}` });
}

function answerOf({ state }: RunRuntime, id: string): PersonAnswer | undefined {
  const resolution = state.resolved.get(id);
  if (resolution?.kind !== "question") return undefined;
  const { answer, by } = resolution;
  return { answer, by };
}
