import type { AccountPace, AccountRecord } from "../../contracts/accounts.ts";
import type { Random } from "../../foundation/random.ts";

// How fast the turns of one account begin, decided by pure functions.
// G1: nothing begins during a cooldown.
// G2: after it one turn probes alone; every turn that is seen to work then doubles how many may run, until the
//     account is open again.
// G3: the turns that ran when the provider first asked to wait are one reason to wait, not many.

const FIRST_COOLDOWN_MS = 2_000;
const LEAST_COOLDOWN_MS = 1_000;
const LONGEST_COOLDOWN_MS = 600_000;
/** What is added to the time that a provider names, so that not everybody comes back in the same moment. */
const SPREAD = 0.1;
const LONGEST_SPREAD_MS = 5_000;
/** From so many turns at the same time on, nothing is held back any more. */
const OPEN_WINDOW = 32;
/** How long after its cooldown a pace still says something. */
const FORGOTTEN_AFTER_MS = 600_000;

/** Whether a turn may begin: at once, after a cooldown, or when another one has ended. */
export type Entry =
  | { readonly status: "entered" }
  | { readonly status: "cooling"; readonly untilMs: number }
  | { readonly status: "full" };

/** Decides whether a turn may begin; `places` is how many may run at all. */
export function decideEntry(
  { pace, turns }: AccountRecord,
  { nowMs, places }: { readonly nowMs: number; readonly places: number },
): Entry {
  const untilMs = pace === undefined ? 0 : cooldownEnd(pace, nowMs);
  if (untilMs > nowMs) return { status: "cooling", untilMs };
  if (turns.length >= places) return { status: "full" };
  const probes = turns.filter(({ enteredMs }) => enteredMs > (pace?.sinceMs ?? 0));
  const isFull = pace !== undefined && probes.length >= pace.window;
  return isFull ? { status: "full" } : { status: "entered" };
}

/** The pace as far as it still says something. */
export function rememberedPace(
  pace: AccountPace | undefined,
  nowMs: number,
): AccountPace | undefined {
  const isForgotten = pace === undefined || nowMs - pace.untilMs > FORGOTTEN_AFTER_MS;
  return isForgotten ? undefined : pace;
}

/** What a provider said to a turn. */
export interface Throttling {
  /** When the turn began, in milliseconds since the epoch. */
  readonly enteredMs: number;
  readonly nowMs: number;
  /** How long it wants to be left alone; what is no time at all is taken as not said. */
  readonly retryAfterMs: number | undefined;
  readonly random: Random;
}

/** The pace after a provider asked to wait. */
export function slowDown(pace: AccountPace | undefined, throttling: Throttling): AccountPace {
  const { enteredMs, nowMs, retryAfterMs, random } = throttling;
  const asked = (retryAfterMs ?? 0) > 0 ? retryAfterMs : undefined;
  if (pace !== undefined && enteredMs <= pace.sinceMs) {
    const untilMs = asked === undefined ? pace.untilMs : nowMs + namedCooldownMs(asked, random);
    return { ...pace, untilMs: Math.max(pace.untilMs, untilMs) };
  }
  const strikes = (pace?.strikes ?? 0) + 1;
  const cooldownMs =
    asked === undefined ? ownCooldownMs(strikes, random) : namedCooldownMs(asked, random);
  return { untilMs: nowMs + cooldownMs, sinceMs: nowMs, strikes, window: 1 };
}

/** The pace after a turn was seen to work; undefined when the account is open again. */
export function speedUp(pace: AccountPace | undefined, enteredMs: number): AccountPace | undefined {
  if (pace === undefined || enteredMs <= pace.sinceMs) return pace;
  const window = pace.window * 2;
  return window >= OPEN_WINDOW ? undefined : { ...pace, window };
}

/** A clock that was set back must not keep anybody waiting for longer than any cooldown lasts. */
function cooldownEnd({ untilMs }: AccountPace, nowMs: number): number {
  return Math.min(untilMs, nowMs + LONGEST_COOLDOWN_MS);
}

function namedCooldownMs(askedMs: number, random: Random): number {
  const spreadMs = Math.min(askedMs * SPREAD, LONGEST_SPREAD_MS);
  const waitMs = Math.max(askedMs + spreadMs * random(), LEAST_COOLDOWN_MS);
  return Math.min(Math.ceil(waitMs), LONGEST_COOLDOWN_MS);
}

function ownCooldownMs(strikes: number, random: Random): number {
  const fullMs = Math.min(FIRST_COOLDOWN_MS * 2 ** (strikes - 1), LONGEST_COOLDOWN_MS);
  return Math.max(Math.round(fullMs * random()), LEAST_COOLDOWN_MS);
}
