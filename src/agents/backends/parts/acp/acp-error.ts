import { RequestError } from "@agentclientprotocol/sdk";
import { isRecord } from "../../../../foundation/json.ts";
import { notSignedIn, protocolBroken, sessionUnknown } from "../errors.ts";
import { toProviderError } from "../provider-error.ts";
import type { ProviderAnswer } from "./acp-launch.ts";

const AUTH_REQUIRED = -32_000;
const NOT_FOUND = -32_002;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
// What providers answer, as programs put it into their words.
const STATUS_IN_TEXT = /(?<![\w.:/-])(4(?:00|01|03|04|13|22|29)|5(?:0[0-4]|29))(?![\w:/-])/;

/**
 * The error that a program's refusal of a request means for an agent. What is no refusal of the program
 * comes back as it is. Without the provider's `answer`, the words of the program have to do.
 */
export function toAcpError(error: unknown, agent: string, answer?: ProviderAnswer): unknown {
  if (!(error instanceof RequestError)) return error;
  const { code } = error;
  const problem = problemOf(error);
  if (code === AUTH_REQUIRED) return notSignedIn({ agent, problem });
  if (code === METHOD_NOT_FOUND || code === INVALID_PARAMS)
    return protocolBroken({ agent, problem });
  if (answer !== undefined) return toProviderError({ agent, problem, ...answer });
  const status = code >= 400 && code < 600 ? code : statusIn(problem);
  return toProviderError({ agent, problem, ...(status === undefined ? {} : { status }) });
}

/**
 * The error when a program does not go on with a session. They have no common word for one that they do
 * not know: whatever is neither the sign-in nor a provider is taken for it.
 */
export function toLoadError(error: unknown, agent: string, resume: string): unknown {
  if (!(error instanceof RequestError) || error.code === AUTH_REQUIRED)
    return toAcpError(error, agent);
  const isAboutModel = error.code !== NOT_FOUND && error.code >= 400 && error.code < 600;
  return isAboutModel ? toAcpError(error, agent) : sessionUnknown({ agent, resume });
}

/** Some programs put the answer of the provider, as JSON, into the message; others put details beside it. */
function problemOf({ message, data }: RequestError): string {
  const details = isRecord(data) ? data["details"] : undefined;
  return typeof details === "string" ? `${message}: ${details}` : innerMessage(message);
}

function innerMessage(message: string): string {
  try {
    const value: unknown = JSON.parse(message);
    const error = isRecord(value) ? value["error"] : undefined;
    return isRecord(error) && typeof error["message"] === "string" ? error["message"] : message;
  } catch {
    return message;
  }
}

function statusIn(problem: string): number | undefined {
  const found = STATUS_IN_TEXT.exec(problem)?.[1];
  return found === undefined ? undefined : Number(found);
}
