import type { Signal } from "../contracts/signal.ts";
import { isOwnWords, OWN_WORDS_REFUSED } from "./own-words.ts";
import { kindOfMarker, readSignalText, refuseConfidence, SIGNAL_FORMS } from "./signal-forms.ts";

/** A signal given through a tool: taken, or refused with what to tell its author. */
export type StructuredReading =
  | { readonly signal: Signal; readonly refused?: never }
  | { readonly signal: Signal; readonly refused: string };

/**
 * Checks a structured signal by the rules of its text form. Its kind is a standing one or one of
 * `markers`, in any case.
 */
export function readStructuredSignal(
  given: Omit<Signal, "by">,
  markers: readonly string[] = [],
): StructuredReading {
  const asGiven: Signal = { ...given, by: "tool" };
  const keyword = findKeyword(given.kind, markers);
  if (keyword === undefined) {
    const known = [...markers.map(kindOfMarker), ...[...SIGNAL_FORMS.keys()].map(kindOfMarker)];
    const refused = `unknown kind "${given.kind}"; known: ${[...new Set(known)].join(", ")}`;
    return { signal: asGiven, refused };
  }
  if (isOwnWords(given.value)) return { signal: asGiven, refused: OWN_WORDS_REFUSED };
  const reading = (SIGNAL_FORMS.get(keyword) ?? readSignalText)(given.value);
  if ("refused" in reading) return { signal: asGiven, refused: reading.refused };
  const refused = refuseGivenConfidence(keyword, given.confidence);
  if (refused !== undefined) return { signal: asGiven, refused };
  const { confidence = reading.confidence, reason = reading.reason } = given;
  const signal: Signal = {
    kind: kindOfMarker(keyword),
    value: reading.value,
    ...(reason === undefined ? {} : { reason }),
    ...(confidence === undefined ? {} : { confidence }),
    by: "tool",
  };
  return { signal };
}

function findKeyword(kind: string, markers: readonly string[]): string | undefined {
  const wanted = kind.toLowerCase();
  return [...SIGNAL_FORMS.keys(), ...markers].find((keyword) => keyword.toLowerCase() === wanted);
}

function refuseGivenConfidence(
  keyword: string,
  confidence: number | undefined,
): string | undefined {
  if (confidence === undefined) return undefined;
  if (keyword !== "DONE" && keyword !== "BID") return "only done and bid carry a confidence";
  return refuseConfidence(confidence);
}
