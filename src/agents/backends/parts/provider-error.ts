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
}

/**
 * The error of a turn whose model could not be asked: BACKEND_OVERLOADED for 429 and 529 (the rate governor
 * waits), BACKEND_NOT_SIGNED_IN for 401 and 403, BACKEND_PROVIDER_REFUSED for others below 500, else
 * BACKEND_PROVIDER_FAILED.
 */
export function toProviderError(failure: ProviderFailure): Error {
  const { status } = failure;
  if (status === 429 || status === 529) return backendOverloaded(failure);
  if (status === 401 || status === 403) return notSignedIn(failure);
  if (status !== undefined && status < 500) return providerRefused(failure);
  return providerFailed(failure);
}
