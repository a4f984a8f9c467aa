import type { Signal } from "../../contracts/signal.ts";
import { isRecord } from "../../foundation/json.ts";
import { SIGNAL_FORMS } from "../../signals/signal-forms.ts";

// What the answer of somebody means who is told no convention: a program, a function, a person (PAT-plain). What they
// write as a signal has been read before; this is for all that is none.

/** Reads an answer as a signal; undefined when it is none. */
export type PlainReading = (text: string) => Signal | undefined;

const MAX_JSON_CHARS = 1_048_576;

/** The whole answer is the payload. */
export function plainSignal(kind: string): PlainReading {
  return (text) => ({ kind, value: text.trim(), by: "text" });
}

/** A line that says nothing but the keyword, as a person writes it. */
export function plainKeyword(kind: string): PlainReading {
  const keyword = kind.toUpperCase();
  return (text) =>
    text.split(/\r?\n/).some((line) => line.trim() === keyword)
      ? { kind, value: "", by: "text" }
      : undefined;
}

/** A bare first word `approve` or `reject`, or JSON `{"vote": …, "reason": …}`. */
export function plainVote(text: string): Signal | undefined {
  const answer = text.trim();
  const given = answer.startsWith("{") ? voteOfJson(answer) : answer;
  const reading = given === undefined ? undefined : SIGNAL_FORMS.get("VOTE")?.(given);
  if (reading === undefined || "refused" in reading) return undefined;
  return { kind: "vote", ...reading, by: "text" };
}

/** The first line is the verdict, all else its reason. */
export function plainVerdict(text: string): Signal | undefined {
  const [value = "", ...rest] = text.trim().split(/\r?\n/);
  if (value === "") return undefined;
  const reason = rest.join("\n").trim();
  return { kind: "verdict", value, ...(reason === "" ? {} : { reason }), by: "text" };
}

function voteOfJson(text: string): string | undefined {
  if (text.length > MAX_JSON_CHARS) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value) || typeof value["vote"] !== "string") return undefined;
    const reason = typeof value["reason"] === "string" ? value["reason"] : "";
    return `${value["vote"]} ${reason}`;
  } catch {
    return undefined;
  }
}
