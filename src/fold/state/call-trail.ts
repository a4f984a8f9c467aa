import type { RepeatedPermission } from "../../contracts/events/request-events.ts";
import type { GitMark } from "../../contracts/host.ts";
import type { Json } from "../../foundation/json.ts";

// What is kept of the calls of a turn until it ends, over all its attempts: whoever starts it again is told of them, and a
// permission that was used is not used twice (AGT-18).

/** A call of a tool, or a permission for one that the events of its turn do not name. */
export interface TrailedCall {
  /** As its attempt names it. */
  readonly call: string | undefined;
  readonly tool: string;
  /** Its input in one bounded line of JSON. */
  readonly input: string;
  /** Ids of the permissions that were asked for it. */
  readonly permissions: Set<string>;
  /** Undefined while no result is in the journal. */
  result: { readonly isError: boolean; readonly text: string } | undefined;
}

/** The calls of one turn. */
export interface CallTrail {
  /** Ids of the permissions that were handed over. */
  readonly used: Set<string>;
  /** In the order in which they were told. */
  readonly calls: Set<TrailedCall>;
  /** Calls that are kept no more. */
  left: number;
  /** What the files were when the turn began, if that is known. */
  mark: GitMark | undefined;
  /** Whether an attempt of the turn was cut off. */
  isCut: boolean;
}

/** Calls that are kept, and those of them that have returned. */
const MAX_CALLS = 200;
const MAX_RETURNED = 30;
const MAX_INPUT_CHARS = 200;
const MAX_RESULT_CHARS = 120;

/** The trail of a turn that has done nothing. */
export function emptyTrail(): CallTrail {
  return { used: new Set(), calls: new Set(), left: 0, mark: undefined, isCut: false };
}

/** A call as the journal has it. */
interface NamedCall {
  readonly call?: string;
  readonly tool: string;
  readonly input: Json;
}

/** A call was told; the same one again is known. */
export function trailCall(trail: CallTrail, named: NamedCall): void {
  if (findCall(trail.calls, named.call) !== undefined) return;
  trail.calls.add(toEntry(named));
  const [oldest] = trail.calls;
  if (oldest === undefined || trail.calls.size <= MAX_CALLS) return;
  trail.calls.delete(oldest);
  trail.left += 1;
}

/** A permission is asked for: for a call that was told, or for one that nobody names. */
export function trailAsk(trail: CallTrail, id: string, asked: NamedCall): void {
  const made = toEntry(asked);
  // Journals of before do not name the call: it is the open one that looks the same.
  const like = [...trail.calls].findLast(
    ({ tool, input, permissions, result }) =>
      tool === made.tool && input === made.input && permissions.size === 0 && result === undefined,
  );
  attach(trail, id, asked.call === undefined && like !== undefined ? like : made);
}

/** A permission is handed over, for a call that may have another name than the one that asked for it. */
export function trailUse(trail: CallTrail, id: string, call: string | undefined): void {
  trail.used.add(id);
  const asked = [...trail.calls].find(({ permissions }) => permissions.has(id));
  if (asked !== undefined && call !== undefined && asked.call !== call)
    attach(trail, id, { ...asked, call, permissions: new Set(), result: undefined });
}

/** A result is in the journal. */
export function trailResult(
  trail: CallTrail,
  {
    call,
    isError,
    result,
  }: { readonly call: string; readonly isError: boolean; readonly result: string },
): void {
  const known = findCall(trail.calls, call);
  if (known === undefined) return;
  known.result = { isError, text: cut(result, MAX_RESULT_CHARS) };
  const returned = [...trail.calls].filter((each) => each.result !== undefined);
  for (const each of returned.slice(0, Math.max(0, returned.length - MAX_RETURNED))) {
    trail.calls.delete(each);
    trail.left += 1;
  }
}

/** What a person is told who is asked once more. */
export function repeatedText({ outcome }: RepeatedPermission): string {
  const allowed = "allowed before the interruption";
  if (outcome === "unknown") return `${allowed}; it may have run, wholly or in part`;
  return outcome === "failed" ? `${allowed}; it has run, and failed` : `${allowed}; it has run`;
}

/** What is known of a permission that was used. */
export function outcomeOf({ calls }: CallTrail, id: string): RepeatedPermission["outcome"] {
  for (const { permissions, result } of calls)
    if (permissions.has(id) && result !== undefined) return result.isError ? "failed" : "returned";
  return "unknown";
}

/** Lets a permission belong to this call, and to no other any more. */
function attach({ calls }: CallTrail, id: string, made: TrailedCall): void {
  for (const each of calls) {
    if (!each.permissions.delete(id) || each.permissions.size > 0) continue;
    // Asked again under another name: the attempt that asked first waits for nothing any more.
    if (each.result === undefined && (each.call === undefined || each.call !== made.call))
      calls.delete(each);
  }
  const known = findCall(calls, made.call) ?? made;
  known.permissions.add(id);
  calls.add(known);
}

function findCall(calls: ReadonlySet<TrailedCall>, call: string | undefined) {
  if (call === undefined) return undefined;
  for (const each of calls) if (each.call === call) return each;
  return undefined;
}

function toEntry({ call, tool, input }: NamedCall): TrailedCall {
  return { call, tool, input: toLine(input), permissions: new Set(), result: undefined };
}

function toLine(input: Json): string {
  return cut(JSON.stringify(input), MAX_INPUT_CHARS);
}

function cut(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text;
}
