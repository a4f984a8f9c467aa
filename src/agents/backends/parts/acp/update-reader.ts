import type { TurnUpdate } from "../../../../contracts/backend.ts";
import { createBoundedText } from "../../../../foundation/bounded-text.ts";
import { isRecord } from "../../../../foundation/json.ts";
import { borderBefore } from "../text-border.ts";
import { MAX_ANSWER_CHARS } from "../turn-gate.ts";
import type { AcpDialect } from "./acp-launch.ts";
import { type AcpToolCall, callIdOf, mergeToolCall, resultText } from "./tool-call.ts";
import { type ToolUse, toToolUse } from "./tool-use.ts";

type Told = Exclude<TurnUpdate, { readonly type: "stop" | "error" }>;
type Message = { readonly [name: string]: unknown };

/** Reads what a program tells of one turn. */
export interface UpdateReader {
  /** Takes the `params` of a `session/update`; what is not understood is activity, and never raises. */
  take(params: unknown): readonly Told[];
  /** Takes the call that a permission request is about; tells of the call if nobody did. */
  ask(call: Message): { readonly use: ToolUse; readonly told: readonly Told[] };
  /** The call of a request was denied: it is over, whatever the program says of it later. */
  deny(call: Message, reason: string): readonly Told[];
  /** What was said after the last tool call; what was said before it when that is nothing. */
  readonly text: string;
  /** Whether anything was said or done. */
  readonly isEmpty: boolean;
  /** Whether a tool call was begun and not ended. */
  readonly hasOpenCall: boolean;
  /** What the whole session has cost so far, if the program told it in this turn. */
  readonly sessionCostUsd: number | undefined;
}

interface KnownCall {
  readonly call: AcpToolCall;
  readonly isTold: boolean;
  readonly isOver: boolean;
}

/** A reader that was told nothing yet. */
export function createUpdateReader(dialect: AcpDialect): UpdateReader {
  const calls = new Map<string, KnownCall>();
  let said = createBoundedText(MAX_ANSWER_CHARS);
  let saidBefore = "";
  let isEmpty = true;
  let sessionCostUsd: number | undefined;

  // Of the message that is being said; the text itself is too long to be looked at with every piece.
  let ending = "";
  let messageId: unknown;

  const say = (update: Message): readonly Told[] => {
    const piece = textOfChunk(update);
    if (piece === "") return [];
    isEmpty = false;
    const isNext = ending !== "" && update["messageId"] !== messageId;
    messageId = update["messageId"];
    const text = `${isNext && !ending.endsWith("\n") ? "\n\n" : borderBefore(ending, piece)}${piece}`;
    ending = `${ending}${text}`.slice(-2);
    said.append(text);
    return [{ type: "text-delta", text }];
  };
  const merge = (message: Message): AcpToolCall =>
    mergeToolCall(calls.get(callIdOf(message))?.call, message);
  const begin = (call: AcpToolCall): readonly Told[] => {
    const known = calls.get(call.id);
    calls.set(call.id, { call, isTold: true, isOver: known?.isOver ?? false });
    if (known?.isTold === true) return [];
    isEmpty = false;
    if (said.text !== "") saidBefore = said.text;
    said = createBoundedText(MAX_ANSWER_CHARS);
    ending = "";
    const { tool, input } = toToolUse(call, dialect);
    return [{ type: "tool-call", call: call.id, tool, input }];
  };
  const finish = (call: AcpToolCall, isError: boolean, result: string): readonly Told[] => {
    if (calls.get(call.id)?.isOver === true) return [];
    const told = begin(call);
    calls.set(call.id, { call, isTold: true, isOver: true });
    const { tool } = toToolUse(call, dialect);
    const changes = isError ? [] : fileChanges(call);
    return [...told, ...changes, { type: "tool-result", call: call.id, tool, isError, result }];
  };
  const progress = (message: Message): readonly Told[] => {
    const call = merge(message);
    const { status = "pending" } = call;
    if (status === "completed" || status === "failed") {
      // What was shown before, such as with a request, is no result.
      const result = resultText(mergeToolCall({ ...call, texts: [] }, message));
      return finish(call, status === "failed", result);
    }
    // The input of a pending call may not be whole.
    if (status !== "pending") return [...begin(call), { type: "activity" }];
    const known = calls.get(call.id);
    calls.set(call.id, { isTold: false, isOver: false, ...known, call });
    return [{ type: "activity" }];
  };
  return {
    take: (params) => {
      const update = isRecord(params) ? params["update"] : undefined;
      if (!isRecord(update)) return [];
      switch (update["sessionUpdate"]) {
        case "agent_message_chunk":
          return say(update);
        case "agent_thought_chunk":
          return [{ type: "thinking", text: textOfChunk(update) }];
        case "tool_call":
        case "tool_call_update":
          return progress(update);
        case "usage_update":
          sessionCostUsd = costOf(update["cost"]) ?? sessionCostUsd;
          return [];
        default:
          return [{ type: "activity" }];
      }
    },
    ask: (message) => {
      const call = merge(message);
      return { use: toToolUse(call, dialect), told: begin(call) };
    },
    deny: (message, reason) => finish(merge(message), true, reason),
    get text() {
      return said.text === "" ? saidBefore : said.text;
    },
    get isEmpty() {
      return isEmpty;
    },
    get hasOpenCall() {
      return [...calls.values()].some(({ isTold, isOver }) => isTold && !isOver);
    },
    get sessionCostUsd() {
      return sessionCostUsd;
    },
  };
}

function textOfChunk({ content }: Message): string {
  return isRecord(content) && typeof content["text"] === "string" ? content["text"] : "";
}

function costOf(cost: unknown): number | undefined {
  if (!isRecord(cost) || cost["currency"] !== "USD") return undefined;
  return typeof cost["amount"] === "number" ? cost["amount"] : undefined;
}

function fileChanges({ kind, diffs, paths }: AcpToolCall): readonly Told[] {
  if (kind === "delete")
    return paths.map((path) => ({ type: "file-change", path, kind: "delete" }) as const);
  if (kind !== "edit") return [];
  // Some programs show the whole file, others the part that changed: one that became empty need not be gone.
  const shown = diffs.map(
    ({ path, before }) => ({ path, kind: before === "" ? "create" : "edit" }) as const,
  );
  const changed = diffs.length > 0 ? shown : paths.map((path) => ({ path, kind: "edit" as const }));
  return changed.map((change) => ({ type: "file-change", ...change }) as const);
}
