import type { Random } from "./random.ts";

// Crockford's alphabet: no i, l, o, u, so that an id read aloud or retyped stays the same id.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** Most characters of an id. */
export const MAX_ID_CHARS = 64;

/** Ids of agents, steps, workflows and channels. None is `constructor` or `prototype`, however it is written. */
export const ID_PATTERN =
  /^(?![Cc][Oo][Nn][Ss][Tt][Rr][Uu][Cc][Tt][Oo][Rr]$|[Pp][Rr][Oo][Tt][Oo][Tt][Yy][Pp][Ee]$)[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Instances may also start with a digit and contain single dots. */
export const INSTANCE_PATTERN =
  /^(?!.*\.\.|[Cc][Oo][Nn][Ss][Tt][Rr][Uu][Cc][Tt][Oo][Rr]$|[Pp][Rr][Oo][Tt][Oo][Tt][Yy][Pp][Ee]$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Agent ids that stand for somebody else. */
export const RESERVED_AGENT_IDS: ReadonlySet<string> = new Set(["system", "user", "human", "all"]);

/** An id such as `run_7k2fq3`: the prefix and six characters of `random`. */
export function shortId(prefix: string, random: Random): string {
  return `${prefix}_${characters(6, random)}`;
}

/**
 * As shortId, but one that nobody has: six characters are meant for eyes, and two of 40,000 are the same. `random` goes
 * on until one is free, so that whoever draws the same again finds the same.
 */
export function freeShortId(
  prefix: string,
  random: Random,
  isTaken: (id: string) => boolean,
): string {
  for (;;) {
    const id = shortId(prefix, random);
    if (!isTaken(id)) return id;
  }
}

/** A ULID: 48 bits of time in ms and 80 random bits, sortable by time. */
export function ulid(timeMs: number, random: Random): string {
  let time = "";
  for (let rest = timeMs, index = 0; index < 10; index += 1) {
    time = ALPHABET.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  return (time + characters(16, random)).toUpperCase();
}

function characters(count: number, random: Random): string {
  let text = "";
  for (let index = 0; index < count; index += 1) text += ALPHABET.charAt(Math.floor(random() * 32));
  return text;
}
