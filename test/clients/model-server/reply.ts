import type { Json } from "../../../src/foundation/json.ts";
import { chooseAnswer } from "./choose-answer.ts";
import type { FailureCounter } from "./failure-counter.ts";
import type { ModelRequest } from "./model-request.ts";
import type { ModelProtocol, StreamEvent } from "./protocol.ts";
import { modelProtocols } from "./protocols/registry.ts";
import type { Step } from "./script.ts";

/** A request as it came in; `path` is without the part that names the agent. */
export interface IncomingCall {
  readonly agent: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** What is sent back, and how: whole, or as the events of a stream. */
export interface Reply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly content: { readonly body: Json } | { readonly events: readonly StreamEvent[] };
  /** Says when and how far it is sent. */
  readonly step: Step;
  /** What was asked for, when it was understood. */
  readonly request?: ModelRequest;
}

/** Decides what a call gets. What cannot be followed gets a 4xx with the reason: clients then give up. */
export function replyTo(call: IncomingCall, failures: FailureCounter): Reply {
  for (const protocol of modelProtocols) {
    const route = protocol.fixedRoutes.find(
      ({ method, path }) => method === call.method && path.test(call.path),
    );
    if (route !== undefined) return whole(200, route.body);
    if (call.method === "POST" && protocol.path.test(call.path))
      return modelReply(call, protocol, failures);
  }
  return whole(404, { error: { message: `nothing is at ${call.method} ${call.path}` } });
}

function modelReply(call: IncomingCall, protocol: ModelProtocol, failures: FailureCounter): Reply {
  try {
    const request = protocol.read(JSON.parse(call.body), call.path);
    const { answer, step, key } = chooseAnswer(request);
    if (failures.isDue(`${call.agent} ${key}`, step))
      return { ...refusal(step, protocol), request };
    const content = request.isStream
      ? { events: protocol.toStream(answer, request) }
      : { body: protocol.toBody(answer, request) };
    return { status: 200, headers: {}, content, step, request };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return whole(400, protocol.toErrorBody(400, problem));
  }
}

function refusal({ fail, delayMs = 0 }: Step, protocol: ModelProtocol): Reply {
  const { status = 500, retryAfterSeconds } = fail ?? {};
  return {
    ...whole(status, protocol.toErrorBody(status, `scripted ${status}`)),
    headers: retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) },
    step: { delayMs },
  };
}

function whole(status: number, body: Json): Reply {
  return { status, headers: {}, content: { body }, step: {} };
}
