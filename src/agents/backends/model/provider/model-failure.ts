import { APICallError } from "@ai-sdk/provider";
import type { RetryReason } from "../../../../contracts/backend.ts";
import { TroupeError } from "../../../../foundation/errors.ts";
import { isRecord } from "../../../../foundation/json.ts";
import { readDelayMs, readNumber } from "../../../../foundation/outside-number.ts";
import { present } from "../../../../foundation/present.ts";
import { bodyTooLarge } from "../../../../host/system/errors.ts";
import type { ProviderFailure } from "../../parts/provider-error.ts";
import { bareAddress, WrongServer } from "./ask-server.ts";

/** What went wrong with one request to a model, and what may be done about it. */
export interface ModelFailure {
  readonly told: Omit<ProviderFailure, "agent">;
  /** Why it may be asked again here; undefined: never, or only when its account may. */
  readonly retry: Extract<RetryReason, "server-error" | "connection"> | undefined;
  /** What it was shown is too long for it. */
  readonly isTooLong: boolean;
}

const MAX_PROBLEM_CHARS = 2000;
const MAX_PAGE_WORDS = 500;
const CUT_OFF = /\bterminated\b|other side closed|ECONNRESET|premature close/i;
/** What is told of an answer that has begun and has no end. */
const CUT_OFF_WORDS = "the connection ended in the middle of the answer";
const TOO_LONG =
  /context.{0,20}(?:length|window|limit|size)|prompt is too long|too many (?:input )?tokens|maximum.{0,40}tokens|input token count|exceeds.{0,60}tokens/i;

/** Reads what a provider's package threw, or what the stream of an answer said in place of going on. */
export function readFailure(error: unknown, now: number): ModelFailure {
  const problem = wordsOf(error).slice(0, MAX_PROBLEM_CHARS).toWellFormed();
  if (error instanceof WrongServer) {
    const { status } = error;
    const retry = status >= 500 ? "server-error" : undefined;
    return { told: { problem, status }, retry, isTooLong: false };
  }
  const status = statusOf(error);
  const wait = APICallError.isInstance(error)
    ? retryAfterMs(error.responseHeaders ?? {}, now)
    : undefined;
  const told = { problem, ...present({ retryAfterMs: wait }) };
  if (status === undefined) return { told, retry: "connection", isTooLong: false };
  const isTooLong = (status === 400 || status === 413) && TOO_LONG.test(problem);
  const retry = status >= 500 && status !== 529 ? "server-error" : undefined;
  return { told: { ...told, status }, retry, isTooLong };
}

/** The HOST_BODY_TOO_LARGE in what a provider's package threw, which asking again would not change. */
export function tooLargeIn(error: unknown): Error | undefined {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof TroupeError && each.code === bodyTooLarge.code) return each;
  return undefined;
}

function statusOf(error: unknown): number | undefined {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  // A stream that has begun well says in words what went wrong.
  if (status !== undefined && status >= 400) return status;
  const kind = kindOf(error);
  if (/overloaded/i.test(kind)) return 529;
  if (/rate.?limit|resource.?exhausted/i.test(kind)) return 429;
  if (/invalid.?request|context.?length/i.test(kind)) return 400;
  if (/authentication|permission/i.test(kind)) return 401;
  if (/api_error|server_error|internal/i.test(kind)) return 500;
  return undefined;
}

function kindOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (APICallError.isInstance(error)) return `${error.message} ${error.responseBody ?? ""}`;
  if (!isRecord(error)) return "";
  const inner = isRecord(error["error"]) ? error["error"] : error;
  return ["type", "code", "status", "message"].map((key) => String(inner[key] ?? "")).join(" ");
}

function wordsOf(error: unknown): string {
  if (typeof error === "string") return error;
  if (error instanceof Error) {
    const body = APICallError.isInstance(error) ? bodyMessage(error.responseBody) : undefined;
    return body ?? ownWords(error);
  }
  if (isRecord(error)) {
    const inner = isRecord(error["error"]) ? error["error"] : error;
    if (typeof inner["message"] === "string") return inner["message"];
  }
  return JSON.stringify(error) ?? "no reason was given";
}

/** What a package says where the provider has said nothing that is for people. */
function ownWords(error: Error): string {
  const cause = error.cause instanceof Error ? error.cause.message : "";
  const said = `${error.message} ${cause}`;
  if (CUT_OFF.test(said)) return CUT_OFF_WORDS;
  if (!APICallError.isInstance(error))
    return cause === "" || error.message.includes(cause)
      ? error.message
      : `${error.message}: ${cause}`;
  const place = bareAddress(error.url);
  if (/ECONNREFUSED/.test(said)) return `nothing listens at ${place}; is its server up?`;
  if (error.statusCode === undefined) return `${place}: ${cause === "" ? error.message : cause}`;
  const text = (error.responseBody ?? "").trim().slice(0, MAX_PAGE_WORDS).toWellFormed();
  return `${place} says ${text === "" ? error.message : text}`;
}

function bodyMessage(body: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(body ?? "");
    const inner = isRecord(value) && isRecord(value["error"]) ? value["error"] : value;
    return isRecord(inner) && typeof inner["message"] === "string" ? inner["message"] : undefined;
  } catch {
    return undefined;
  }
}

function retryAfterMs(
  headers: { readonly [name: string]: string },
  now: number,
): number | undefined {
  const precise = readDelayMs(readNumber(headers["retry-after-ms"] ?? ""));
  if (precise !== undefined) return precise;
  const { "retry-after": told = "" } = headers;
  if (/^\d+(?:\.\d+)?$/.test(told)) return readDelayMs(Number(told) * 1000);
  const until = Date.parse(told);
  return readDelayMs(Math.max(0, until - now));
}
