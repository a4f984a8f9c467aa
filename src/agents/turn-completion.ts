import type { StopReason } from "../contracts/backend.ts";
import type { PostReceipt } from "../contracts/message.ts";
import type { TurnResult } from "../contracts/ports/context.ts";
import type { Signal } from "../contracts/signal.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { agentKey, findAgent, rightsIn } from "../fold/state/agent-lookup.ts";
import { findMessage } from "../fold/state/message-source.ts";
import { standInFor } from "../messaging/edges.ts";
import { postMessage } from "../messaging/post-message.ts";
import { SHADOW_SIGNAL_REFUSED, saysNothing } from "../messaging/shadows/shadow-speech.ts";
import { tellChanges } from "../messaging/tell-shadows.ts";
import { effectiveSignals } from "../signals/decide-completion.ts";
import type { GivenTexts } from "../signals/given-texts.ts";
import { type RefusedSignal, readSignals, type SignalReading } from "../signals/read-signals.ts";
import { refusedOfRole } from "../signals/role-signals.ts";
import { kindOfMarker } from "../signals/signal-forms.ts";
import type { AgentRequests } from "./agent-requests.ts";
import type { DeedLimits } from "./budget/deed-limits.ts";
import type { RunCustoms } from "./session-ports.ts";
import type { TurnCollector } from "./turn-collector.ts";
import type { TurnInput } from "./turn-prompt.ts";
import { refusedByLimit } from "./turn-signals.ts";
import type { PlannedTurn } from "./turn-start.ts";

const MAX_ANNOUNCED_CHARS = 2000;
/** A message may have 1 MiB of UTF-8, and a character takes four bytes at the most. */
const MAX_SPOKEN_CHARS = 262_000;
/** Standing signals are kept in lower case and written in upper case. */
const ENDINGS: ReadonlySet<string> = new Set(["done", "team_done", "failed", "blocked"]);
const STANDING_KIND = /^(failed|blocked|done)$/;

/** A turn whose stream has stopped. */
export interface StoppedTurn {
  readonly agent: string;
  readonly planned: PlannedTurn;
  readonly stopReason: StopReason;
  readonly collector: TurnCollector;
  readonly requests: AgentRequests;
  readonly customs: RunCustoms;
  readonly deeds: DeedLimits;
  /** No signal of a shadow counts, and what it says is posted. */
  readonly isShadow: boolean;
  /** Whether it reads what it is told. */
  readonly reads: boolean;
  /** What its session was given, this turn included. */
  readonly given: GivenTexts;
}

/** Journals the end of a turn with its signals and what it announces; all in one group of events. */
export function completeTurn(runtime: RunRuntime, stopped: StoppedTurn): TurnResult {
  const { agent, planned, stopReason, collector } = stopped;
  const { turn } = planned;
  const { text, truncated } = collector.text;
  const { signals, refused } = journalSignals(runtime, stopped, text);
  const receipt = announce(runtime, stopped, { text, signals });
  const author = { agent, turn, reads: stopped.reads };
  if (!stopped.isShadow) tellRefused(runtime, author, refused);
  if (receipt !== undefined) {
    tellUnknown(runtime, author, receipt);
    tellNotPermitted(runtime, author, receipt);
  }
  tellChanges(runtime, agent, turn);
  const event = runtime.append({
    type: "turn-completed",
    agent,
    turn,
    text,
    ...(truncated ? { textTruncated: true } : {}),
    stopReason,
    signals,
    usage: collector.usage,
  });
  const kept = event.type === "turn-completed" ? event : { text, signals };
  return {
    agent,
    turn,
    text: kept.text,
    textTruncated: truncated,
    stopReason,
    signals: kept.signals,
    usage: collector.usage,
  };
}

interface JournaledSignals {
  readonly signals: readonly Signal[];
  readonly refused: readonly RefusedSignal[];
}

/** Journals what the text signals and returns all that counts, structured signals included. */
function journalSignals(runtime: RunRuntime, stopped: StoppedTurn, text: string): JournaledSignals {
  const { agent, planned, requests, isShadow, deeds } = stopped;
  const { turn } = planned;
  const markers = [...markersOf(planned.prompt?.input), ...stopped.customs.markers];
  const speaker = findAgent(runtime.state, agent);
  const rights = speaker === undefined ? {} : rightsIn(speaker, turn);
  const reading = refusing(
    readSignals(text, { markers, given: stopped.given }),
    ({ kind }) => refusedOfRole(kind, rights) ?? refusedByLimit(deeds, { agent, turn, kind }),
  );
  const effective = isShadow ? [] : effectiveSignals([...requests.signals, ...reading.signals]);
  const refused = isShadow
    ? SHADOW_SIGNAL_REFUSED
    : "a later or stronger signal of this turn counts";
  for (const signal of reading.signals) {
    const counted = effective.includes(signal);
    runtime.append({
      type: "signal-received",
      agent,
      turn,
      signal,
      counted,
      ...(counted ? {} : { refused }),
    });
  }
  for (const { signal, reason } of reading.refused) {
    runtime.append({
      type: "signal-received",
      agent,
      turn,
      signal,
      counted: false,
      refused: reason,
    });
  }
  if (reading.omitted !== undefined) {
    const told = `turn ${turn} of "${agent}" wrote more signals than are read: the first ${reading.omitted} do not count`;
    const note = `${planned.key}/omitted-signals`;
    runtime.append({ type: "log", note, level: "warning", text: told });
  }
  return { signals: effective, refused: reading.refused };
}

/** Signals that do not count for another reason than their form are among the refused ones. */
function refusing(
  reading: SignalReading,
  reasonOf: (signal: Signal) => string | undefined,
): SignalReading {
  const refused = reading.signals.flatMap((signal) => {
    const reason = reasonOf(signal);
    return reason === undefined ? [] : [{ signal, reason }];
  });
  if (refused.length === 0) return reading;
  const foreign = new Set(refused.map(({ signal }) => signal));
  return {
    ...reading,
    signals: reading.signals.filter((signal) => !foreign.has(signal)),
    refused: [...reading.refused, ...refused],
  };
}

/** The markers that a turn may give beside the standing signals. */
export function markersOf(input: TurnInput | undefined): readonly string[] {
  return input?.expects === undefined || input.expects === "none" ? [] : [input.expects];
}

function announce(
  runtime: RunRuntime,
  stopped: StoppedTurn,
  said: { readonly text: string; readonly signals: readonly Signal[] },
): PostReceipt | undefined {
  const { agent, planned, requests, customs } = stopped;
  const { mainChannel } = customs;
  const asked = planned.prompt?.input;
  const own = stopped.isShadow ? "text" : customs.announces;
  const mode = asked === undefined ? own : (asked.announce ?? "none");
  if (stopped.isShadow && saysNothing(said.text)) return undefined;
  const report =
    asked?.announceTo === undefined ? undefined : standInFor(runtime.state, asked.announceTo);
  const spoken =
    mode === "signal" ? signalText(said.signals, asked) : spokenText(mode, said.text, requests);
  const text =
    report === undefined
      ? spoken
      : reportText(runtime, { to: report, posted: requests.posted }, { ...said, spoken });
  if (text.trim() === "") return undefined;
  const key = `${planned.key}/announce`;
  // Never refused: an agent that has used up its rate begins no turn that could end in one more message (`LiveSession`).
  return postMessage(runtime, {
    from: agent,
    draft: { text, ...(report === undefined ? {} : { to: [report] }) },
    key,
    mainChannel,
    isReport: report !== undefined,
  });
}

/** What whoever waits for the end of a turn is told: its text, and how it ends where that does not say so. */
function reportText(
  runtime: RunRuntime,
  { to, posted }: { readonly to: string; readonly posted: readonly string[] },
  said: { readonly spoken: string; readonly signals: readonly Signal[] },
): string {
  const { spoken, signals } = said;
  const ending = signals.find(({ kind }) => ENDINGS.has(kind));
  if (ending === undefined || (spoken !== "" && ending.by === "text")) return spoken;
  const { kind, value } = ending;
  const last = posted
    .flatMap((id) => findMessage(runtime, id) ?? [])
    .findLast((message) => message.to?.some((name) => agentKey(name) === agentKey(to)));
  if (last?.signals.includes(kind) === true && last.text.includes(value)) return spoken;
  const line = `${kind.toUpperCase()}: ${value}`.slice(0, MAX_SPOKEN_CHARS).toWellFormed();
  return spoken === "" ? line : `${spoken}\n\n${line}`;
}

/** The statement that ends the task, as a line of the channel. */
function signalText(signals: readonly Signal[], input: TurnInput | undefined): string {
  const ending = ["failed", "blocked", ...markersOf(input).map(kindOfMarker), "done"];
  const signal = signals.find((candidate) => ending.includes(candidate.kind));
  if (signal === undefined) return "";
  const word = STANDING_KIND.test(signal.kind) ? signal.kind.toUpperCase() : signal.kind;
  const text = `${word}: ${signal.value}`;
  return text.length > MAX_ANNOUNCED_CHARS
    ? `${text.slice(0, MAX_ANNOUNCED_CHARS - 1).toWellFormed()}…`
    : text;
}

function spokenText(mode: "none" | "text", text: string, requests: AgentRequests): string {
  if (mode !== "text" || requests.posted.length > 0) return "";
  return text.length > MAX_SPOKEN_CHARS ? `…${text.slice(-MAX_SPOKEN_CHARS)}`.toWellFormed() : text;
}

const MAX_TOLD = 5;

const MAX_SHOWN_CHARS = 120;

/** Whose text it was that went wrong. */
interface Author {
  readonly agent: string;
  readonly turn: number;
  /** Whether it reads what it is told: a program that prints does not, and nobody starts it for that. */
  readonly reads: boolean;
}

/**
 * Tells an agent with its next turn, which it is not given for that alone, which signals of its text do not count, and why.
 */
function tellRefused(runtime: RunRuntime, author: Author, refused: readonly RefusedSignal[]): void {
  if (refused.length === 0 || !author.reads) return;
  const lines = refused.slice(-MAX_TOLD).map(({ signal, reason }) => {
    const value = signal.value.slice(0, MAX_SHOWN_CHARS).toWellFormed();
    return `- ${signal.kind} ${JSON.stringify(value)}: ${reason}`;
  });
  tell(runtime, author, ["These signals of your text do not count:", ...lines].join("\n"));
}

/** Tells the sender of a message with its next turn, and the run at once, that it mentions names that nobody has (MSG-2). */
function tellUnknown(runtime: RunRuntime, author: Author, receipt: PostReceipt): void {
  const { unknownMentions } = receipt;
  if (unknownMentions.length === 0) return;
  const names = unknownMentions.map((name) => `@${name}`).join(", ");
  const known = [...runtime.state.agents.keys()].filter((id) => id !== author.agent);
  const wrote = author.reads ? "You mention" : `${author.agent} mentions`;
  const others = known.length === 0 ? "there is no other agent" : `known: ${shorten(known)}`;
  tell(runtime, author, `${wrote} ${names}, but nobody is called so; ${others}.`);
}

/** Tells the sender whom it named although it may not write to them. */
function tellNotPermitted(runtime: RunRuntime, author: Author, receipt: PostReceipt): void {
  const { refusedMentions = [] } = receipt;
  if (refusedMentions.length === 0) return;
  const who = author.reads ? "You" : author.agent;
  const names = shorten(refusedMentions);
  tell(runtime, author, `${who} may not write to ${names} in this pattern, so they were not told.`);
}

function tell(runtime: RunRuntime, { agent, turn }: Author, text: string): void {
  runtime.append({ type: "author-told", agent, turn, text });
}

function shorten(names: readonly string[]): string {
  const rest = names.length - 20;
  return `${names.slice(0, 20).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
