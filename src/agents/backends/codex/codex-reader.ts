import { z } from "zod";
import type { TurnUpdate } from "../../../contracts/backend.ts";
import type { TurnReader } from "../parts/turn-reader.ts";
import { failedTurn, retryReason, turnErrorSchema } from "./codex-error.ts";
import { completedUpdates, type FileChange, startedUpdates, toolItemSchema } from "./codex-item.ts";
import { createUsageTotals, tokenUsageSchema } from "./codex-usage.ts";

type Updates = readonly TurnUpdate[];

const NOTHING: Updates = [];
const ACTIVITY_MS = 1000;
const UNTOLD = { message: "no reason was given", codexErrorInfo: "other" };

const notificationSchema = z.object({
  method: z.string(),
  params: z.looseObject({ threadId: z.string().optional() }),
  emittedAtMs: z.number().catch(0),
});
const deltaSchema = z.object({ itemId: z.string(), delta: z.string().min(1) });
const itemSchema = z.object({ item: z.unknown().optional() });
const messageSchema = z.object({
  type: z.literal("agentMessage"),
  id: z.string(),
  text: z.string(),
});
const startedSchema = z.object({ turn: z.object({ id: z.string() }) });
const completedSchema = z.object({
  turn: z.object({ status: z.string(), error: turnErrorSchema.nullish() }),
});
const errorSchema = z.object({ error: turnErrorSchema, willRetry: z.literal(true) });

/** Reads what one process of Codex tells of a thread, through all of its turns. */
export class CodexReader implements TurnReader {
  readonly #agent: string;
  readonly #thread: string;
  readonly #totals = createUsageTotals();
  /** Of uses of the editing tool that have not ended. */
  readonly #changes = new Map<string, readonly FileChange[]>();
  /** Messages of the turn that came in parts. */
  readonly #streamed = new Set<string>();
  #turn: string | undefined;
  #answer = "";
  /** The message that has begun last, until it ends. */
  #openMessage: string | undefined;
  #activeAtMs = Number.NEGATIVE_INFINITY;

  /** Others that the thread may set to work are heard, but only its own turns end one. */
  constructor(agent: string, thread: string) {
    this.#agent = agent;
    this.#thread = thread;
  }

  /** The changes that a running use of the editing tool wants to make; undefined when there is none of that id. */
  changesOf(item: string): readonly FileChange[] | undefined {
    return this.#changes.get(item);
  }

  take(line: string): Updates {
    const notification = toNotification(line);
    if (notification === undefined) return NOTHING;
    const { method, params, emittedAtMs } = notification;
    const updates = this.#read(method, params, params.threadId === this.#thread);
    if (updates.length > 0 || this.#turn === undefined) return updates;
    return /^(?:item|turn|hook)\//.test(method) ? this.#activity(emittedAtMs) : NOTHING;
  }

  #read(method: string, params: unknown, isOwn: boolean): Updates {
    switch (method) {
      case "turn/started":
        return isOwn ? this.#start(params) : NOTHING;
      case "turn/completed":
        return isOwn ? this.#complete(params) : NOTHING;
      case "item/agentMessage/delta":
        return isOwn ? this.#delta(params, "text-delta") : NOTHING;
      case "item/reasoning/summaryTextDelta":
      case "item/reasoning/textDelta":
        return this.#delta(params, "thinking");
      case "item/started":
        return this.#itemStarted(params, isOwn);
      case "item/completed":
        return this.#itemCompleted(params, isOwn);
      case "thread/tokenUsage/updated":
        return this.#usage(params);
      case "error":
        return retrying(params);
      default:
        return NOTHING;
    }
  }

  #start(params: unknown): Updates {
    this.#turn = startedSchema.safeParse(params).data?.turn.id;
    this.#answer = "";
    this.#openMessage = undefined;
    this.#streamed.clear();
    this.#changes.clear();
    return NOTHING;
  }

  #complete(params: unknown): Updates {
    const { status, error } = completedSchema.safeParse(params).data?.turn ?? {};
    this.#turn = undefined;
    if (status === "completed")
      return [{ type: "stop", reason: this.#reason(), text: this.#answer }];
    if (status === "interrupted") return [{ type: "stop", reason: "cancelled" }];
    return [failedTurn(this.#agent, error ?? UNTOLD)];
  }

  /** Codex leaves out what a model says to decline: a message begins and never ends. */
  #reason(): "end_turn" | "refusal" {
    return this.#openMessage === undefined ? "end_turn" : "refusal";
  }

  #delta(params: unknown, type: "text-delta" | "thinking"): Updates {
    const { itemId, delta } = deltaSchema.safeParse(params).data ?? {};
    if (itemId === undefined || delta === undefined) return NOTHING;
    return type === "thinking" ? [{ type, text: delta }] : this.#text(itemId, delta);
  }

  #text(item: string, delta: string): Updates {
    // Further messages of a turn stand apart from what was said before.
    const isNext = this.#streamed.size > 0 && !this.#streamed.has(item);
    this.#streamed.add(item);
    return [{ type: "text-delta", text: isNext ? `\n\n${delta}` : delta }];
  }

  #itemStarted(params: unknown, isOwn: boolean): Updates {
    const item = itemOf(params);
    const message = messageSchema.safeParse(item).data;
    if (message !== undefined && isOwn) this.#openMessage = message.id;
    const tool = toolItemSchema.safeParse(item).data;
    if (tool === undefined) return NOTHING;
    if (tool.type === "fileChange") this.#changes.set(tool.id, tool.changes);
    return startedUpdates(tool);
  }

  #itemCompleted(params: unknown, isOwn: boolean): Updates {
    const item = itemOf(params);
    const message = messageSchema.safeParse(item).data;
    if (message !== undefined) return isOwn ? this.#message(message) : NOTHING;
    const tool = toolItemSchema.safeParse(item).data;
    if (tool === undefined) return NOTHING;
    this.#changes.delete(tool.id);
    return completedUpdates(tool);
  }

  #message({ id, text }: z.infer<typeof messageSchema>): Updates {
    this.#answer = text;
    this.#openMessage = undefined;
    return this.#streamed.has(id) || text === "" ? NOTHING : this.#text(id, text);
  }

  #usage(params: unknown): Updates {
    const report = tokenUsageSchema.safeParse(params).data;
    if (report === undefined) return NOTHING;
    // What others use that the thread set to work is used by its turn, whatever theirs is called.
    const turn = report.threadId === this.#thread ? this.#turn : report.turnId;
    const usage = this.#totals.take(report, turn);
    return usage === undefined ? NOTHING : [{ type: "usage", usage }];
  }

  #activity(emittedAtMs: number): Updates {
    if (emittedAtMs - this.#activeAtMs < ACTIVITY_MS) return NOTHING;
    this.#activeAtMs = emittedAtMs;
    return [{ type: "activity" }];
  }
}

/** An error that will be retried; a last one comes again with the end of its turn. */
function retrying(params: unknown): Updates {
  const { error } = errorSchema.safeParse(params).data ?? {};
  return error === undefined ? NOTHING : [{ type: "retrying", reason: retryReason(error) }];
}

function itemOf(params: unknown): unknown {
  return itemSchema.safeParse(params).data?.item;
}

function toNotification(line: string): z.infer<typeof notificationSchema> | undefined {
  try {
    return notificationSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
