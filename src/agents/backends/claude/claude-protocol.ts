import { z } from "zod";
import { isRecord } from "../../../foundation/json.ts";

/** What the program says beside the work of a turn. */
export type ControlMessage =
  /** It wants to use a tool, and waits for `permissionAnswer`. */
  | {
      readonly type: "permission";
      readonly id: string;
      readonly tool: string;
      readonly input: { readonly [name: string]: unknown };
      /** The id of the call in what the program says of it; older versions leave it out. */
      readonly call: string | undefined;
    }
  /** Any other request; it waits for `refusalAnswer`. */
  | { readonly type: "request"; readonly id: string }
  /** The answer to a request of ours. */
  | { readonly type: "answer"; readonly id: string };

/** What becomes of a use of a tool. */
export type PermissionAnswer =
  | { readonly behavior: "allow"; readonly updatedInput: { readonly [name: string]: unknown } }
  | { readonly behavior: "deny"; readonly message: string };

const requestSchema = z.looseObject({
  type: z.literal("control_request"),
  request_id: z.string(),
  request: z.looseObject({
    subtype: z.string(),
    tool_name: z.string().optional(),
    input: z.record(z.string(), z.unknown()).optional(),
    tool_use_id: z.string().optional(),
  }),
});

const responseSchema = z.looseObject({
  type: z.literal("control_response"),
  response: z.looseObject({ request_id: z.string() }),
});

const controlSchema = z.union([requestSchema, responseSchema]);

/** Reads a line of the program; undefined when it is part of a turn's work, or nothing at all. */
export function readControl(line: string): ControlMessage | undefined {
  // Most lines are none: they are not worth being parsed twice.
  if (!line.includes('"control_re')) return undefined;
  const { success, data } = controlSchema.safeParse(parseLine(line));
  if (!success) return undefined;
  if (data.type === "control_response") return { type: "answer", id: data.response.request_id };
  const { request_id: id, request } = data;
  const { subtype, tool_name: tool, input = {}, tool_use_id: call } = request;
  if (subtype !== "can_use_tool" || tool === undefined) return { type: "request", id };
  return { type: "permission", id, tool, input, call };
}

/** The object that a line holds; undefined for what is none. */
export function parseLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Begins the conversation; `role` is added to the program's own instructions. */
export function initializeRequest(id: string, role: string | undefined): string {
  return controlRequest(id, {
    subtype: "initialize",
    ...(role === undefined ? {} : { appendSystemPrompt: role }),
  });
}

/** Ends the turn that runs. */
export function interruptRequest(id: string): string {
  return controlRequest(id, { subtype: "interrupt" });
}

/** A prompt, or what is said into a running turn. */
export function userMessage(uuid: string, text: string): string {
  return JSON.stringify({
    type: "user",
    uuid,
    session_id: "",
    parent_tool_use_id: null,
    message: { role: "user", content: [{ type: "text", text }] },
  });
}

/** The answer to a request for permission. */
export function permissionAnswer(id: string, response: PermissionAnswer): string {
  return controlResponse({ subtype: "success", request_id: id, response });
}

/** The answer to what Troupe does not do. */
export function refusalAnswer(id: string): string {
  return controlResponse({ subtype: "error", request_id: id, error: "not supported" });
}

function controlRequest(id: string, request: object): string {
  return JSON.stringify({ type: "control_request", request_id: id, request });
}

function controlResponse(response: object): string {
  return JSON.stringify({ type: "control_response", response });
}

const SPARE_LINE =
  /^\s*(?:[^\s{]|\{\s*"type"\s*:\s*"(?:stream_event|user|system|tool_progress|rate_limit_event)")/;

/**
 * True if a turn has the same outcome without a line that begins like this: parts of a text that comes again as a whole,
 * results of tools, and what is not a message at all.
 */
export function isSpareLine(start: string): boolean {
  return SPARE_LINE.test(start.slice(0, 200));
}
