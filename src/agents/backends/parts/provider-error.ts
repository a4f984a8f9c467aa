import { backendOverloaded, notSignedIn, providerFailed, providerRefused } from "./errors.ts";

/** What the provider of an agent's model answered instead of doing what it was asked for. */
export interface ProviderFailure {
  readonly agent: string;
  /** HTTP status; undefined when there was no answer at all. */
  readonly status?: number;
  /** What the provider or the program said. */
  readonly problem: string;
  /** What it was asked with, and what to do where that was not accepted. Absent: `doctor` says it. */
  readonly signIn?: string;
  /** How long the provider wants to be left alone, in ms. */
  readonly retryAfterMs?: number;
  /** Set if it was asked again for so long that waiting longer makes no sense. */
  readonly isGivenUp?: true;
}

/** Words of programs and systems for a server that is not there, or went away. */
const AWAY =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|socket hang up|fetch failed|connection (?:error|refused|reset|to the api was lost)|unable to connect|error sending request|stream disconnected/i;

/** Whether a provider's server is away, or fails in a way that passes. */
function isAway({ status, problem, isGivenUp }: ProviderFailure): boolean {
  if (isGivenUp === true) return false;
  return status === undefined ? AWAY.test(problem) : status >= 500;
}

/**
 * The error of a turn whose model could not be asked: BACKEND_OVERLOADED for 429 and 529 (the rate governor
 * waits), BACKEND_NOT_SIGNED_IN for 401 and 403, BACKEND_PROVIDER_REFUSED for others below 500, else
 * BACKEND_PROVIDER_FAILED, which says of a server that is away that it may be asked again later.
 */
export function toProviderError(failure: ProviderFailure): Error {
  const { status } = failure;
  if (status === 429 || status === 529) return backendOverloaded(failure);
  if (status === 401 || status === 403) return notSignedIn(failure);
  if (status !== undefined && status < 500) return providerRefused(failure);
  return providerFailed(isAway(failure) ? { ...failure, isAway: true } : failure);
}
