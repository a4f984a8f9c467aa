import { z } from "zod";
import { errorReport } from "../contracts/error-report.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import type { RequestAnswer } from "../fold/state/inbox-state.ts";
import { fromErrorReport } from "../foundation/errors.ts";
import type { Json } from "../foundation/json.ts";
import type { RequestKey } from "./request-key.ts";

// Owns tool calls that the program of the run answers.
// P1: a call of a turn that is started again is the same call: it gets the answer that it had, or waits for it.

const answerInput = z.object({ request: z.string(), value: z.json(), isError: z.boolean() });

/** Closes a tool call that belongs to the program. One that nobody waits for any more changes nothing. */
export function closeCall(runtime: RunRuntime, input: Json): null {
  const { request, value, isError } = answerInput.parse(input);
  if (runtime.state.requests.has(request))
    runtime.append({ type: "request-answered", request, value, isError });
  return null;
}

/** The turn whose agent calls. */
export interface ProgramCaller {
  readonly runtime: RunRuntime;
  readonly agent: string;
  readonly turn: number;
  /** Waits for others; rejects when the turn is over or cut off. */
  readonly wait: <Result>(result: Promise<Result>) => Promise<Result>;
}

/** A call of a tool. */
export interface CallForProgram {
  readonly tool: string;
  readonly input: Json;
  readonly key: RequestKey;
}

/** Hands a call to the program and waits for its answer. Rejects with the error that the program answers. */
export async function callProgram(caller: ProgramCaller, call: CallForProgram): Promise<Json> {
  const { runtime, agent, turn, wait } = caller;
  const { state } = runtime;
  const { key: request, use } = call.key;
  use();
  let answer: RequestAnswer | undefined = state.requestAnswers.get(request);
  if (answer === undefined) {
    const { promise, stop } = answerTo(runtime, request);
    const asked = { request, agent, turn, tool: call.tool, arguments: call.input };
    if (!state.requests.has(request)) runtime.append({ type: "request-received", ...asked });
    try {
      answer = await wait(promise);
    } finally {
      stop();
    }
  }
  if (answer.isError) throw fromErrorReport(errorReport.parse(answer.value));
  return answer.value;
}

function answerTo(
  runtime: RunRuntime,
  request: string,
): { readonly promise: Promise<RequestAnswer>; readonly stop: () => void } {
  const { promise, resolve } = Promise.withResolvers<RequestAnswer>();
  const stop = runtime.onAppended((event) => {
    if (event.type !== "request-answered" || event.request !== request) return;
    const answer = runtime.state.requestAnswers.get(request);
    if (answer !== undefined) resolve(answer);
  });
  return { promise, stop };
}
