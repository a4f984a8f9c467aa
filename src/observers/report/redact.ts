import type { JournalEvent } from "../../contracts/events/event.ts";
import { isJsonArray, type Json, toJson } from "../../foundation/json.ts";
import type { SecretMasker } from "../../foundation/secret-masker.ts";

/** What is taken out of a run before others see it. */
export interface RedactionOptions {
  /** Known secrets; always taken out. */
  readonly masker: SecretMasker;
  /** Whether what tells of the machine and its user goes too: paths, environments, addresses, credentials. */
  readonly isForSharing: boolean;
  /** Directories of this machine, the longest first, and what is written instead of them. */
  readonly places: readonly (readonly [path: string, replacement: string])[];
}

/** Events without what nobody else may see. */
export interface Redacted {
  readonly events: readonly JournalEvent[];
  /** Texts in which a known secret stood. */
  readonly maskedTexts: number;
}

const MASK = "***";

// Each begins where nothing of its own kind lies before it, so that the time stays linear.
const SHAPES: readonly Replacing[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}-----)?/g, MASK],
  [/(?<![\w-])(?:sk|pk|rk|gh[opsur]|github_pat|glpat|xox[abprs])[-_][\w-]{12,300}/g, MASK],
  [/(?<!\w)(?:AKIA|ASIA)[A-Z0-9]{16}(?!\w)/g, MASK],
  [/(?<!\w)AIza[\w-]{35}/g, MASK],
  [/(?<![\w-])eyJ[\w-]{10,2000}\.[\w-]{10,4000}\.[\w-]{10,2000}/g, MASK],
  [/(?<=[Bb]earer )[\w.~+/=-]{12,4000}/g, MASK],
  [/(?<=:\/\/[^\s/:@]{0,100}:)[^\s/@]{1,200}(?=@)/g, MASK],
  [/(?<![\w.%+-])[\w.%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/g, "<email>"],
];

/** Takes secrets, and for sharing more than that, out of every text of every event. */
export function redactEvents(events: readonly JournalEvent[], options: RedactionOptions): Redacted {
  let maskedTexts = 0;
  const patterns = [...options.places.map(toPattern), ...SHAPES];
  const mask = (text: string) => {
    const masked = options.masker.mask(text);
    if (masked !== text) maskedTexts += 1;
    return options.isForSharing ? replaceAll(masked, patterns) : masked;
  };
  const redacted = events.map((event) => redactEvent(event, mask, options));
  return { events: redacted, maskedTexts };
}

function redactEvent(
  event: JournalEvent,
  mask: (text: string) => string,
  { isForSharing }: RedactionOptions,
): JournalEvent {
  const members = Object.entries(event).map(([name, value]: [string, unknown]) => {
    // The type says how to read the rest, and an event's own names are ours.
    if (name === "type") return [name, value];
    const json = toJson(value, `${name} of event ${event.seq}`);
    return [name, changeTexts(isForSharing ? hideEnvironments(json) : json, mask)];
  });
  const redacted: unknown = Object.fromEntries(members);
  assertSameShape(event, redacted);
  return redacted;
}

/** Texts are replaced by texts and nothing else. */
function assertSameShape<Value>(_original: Value, _redacted: unknown): asserts _redacted is Value {}

type Replacing = readonly [pattern: RegExp, replacement: string];

/** The path itself and what lies in it, but not `/home/ann-marie` for `/home/ann`. */
function toPattern([path, replacement]: readonly [string, string]): Replacing {
  const escaped = path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return [new RegExp(`${escaped}(?![\\w-])`, "g"), replacement];
}

function replaceAll(text: string, patterns: readonly Replacing[]): string {
  return patterns.reduce((result, [pattern, by]) => result.replace(pattern, by), text);
}

function changeTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (value === null || typeof value !== "object") return value;
  if (isJsonArray(value)) return value.map((item) => changeTexts(item, change));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [change(name), changeTexts(member, change)]),
  );
}

function hideValues(value: Json): Json {
  if (value === null || typeof value !== "object" || isJsonArray(value)) return MASK;
  return Object.fromEntries(Object.keys(value).map((name) => [name, MASK]));
}

/** Values of variables that agents were given say more than their names, whatever they are. */
function hideEnvironments(value: Json): Json {
  if (value === null || typeof value !== "object") return value;
  if (isJsonArray(value)) return value.map(hideEnvironments);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === "env" ? hideValues(member) : hideEnvironments(member),
    ]),
  );
}
