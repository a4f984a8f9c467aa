import type { EventData } from "../../../contracts/events/event.ts";
import type { JournalMask } from "../../../engine/run-journal.ts";
import { shortenInternal } from "../../../foundation/errors.ts";
import { toJson } from "../../../foundation/json.ts";
import type { SecretMasker } from "../../../foundation/secret-masker.ts";

// These repeat the definition and what was learned before, which is masked where it came in. Replay compares
// them and agents are started from them, so they must not change with the secrets of the process.
const KEPT: ReadonlySet<EventData["type"]> = new Set([
  "operation-scheduled",
  "operation-attempted",
  "agent-spawned",
]);

/** Takes known secrets out of what is on its way into the journal (AGT-11). */
export function eventMask(masker: SecretMasker): JournalMask {
  return { event: (data) => maskEvent(data, masker), text: (text) => masker.mask(text) };
}

function maskEvent(data: EventData, masker: SecretMasker): EventData {
  if (KEPT.has(data.type)) return data;
  if (masker.isEmpty) return withShortErrors(data);
  const masked: unknown = masker.maskJson(toJson(data, data.type));
  assertSameShape(data, masked);
  return withShortErrors(masked);
}

/** After masking: of half a secret nobody would know that it is one. */
function withShortErrors(data: EventData): EventData {
  if (data.type === "operation-settled" && data.outcome.status === "error")
    return { ...data, outcome: { ...data.outcome, error: shortenInternal(data.outcome.error) } };
  if (!("error" in data) || data.error === undefined) return data;
  const short: unknown = { ...data, error: shortenInternal(data.error) };
  assertSameShape(data, short);
  return short;
}

/** Masking replaces texts by texts and nothing else. */
function assertSameShape<Value>(_original: Value, _masked: unknown): asserts _masked is Value {}
