import type { TurnUpdate } from "../../../contracts/backend.ts";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import { addUsage, type Usage } from "../../../contracts/usage.ts";
import { type BoundedText, createBoundedText } from "../../../foundation/bounded-text.ts";

/** A tool that an agent called in its turn. */
export interface ShownToolUse {
  readonly tool: string;
  /** JSON. */
  readonly input: string;
  readonly status: "running" | "ok" | "failed";
}

/** What is known of a running turn before it is durable. */
export interface TurnActivity {
  /** The end of what the agent says. */
  readonly text: string;
  readonly lastTool: ShownToolUse | undefined;
  readonly usage: Usage;
}

/** What the running turns do; forgets a turn when it ends. */
export interface ActivityLog {
  update(agent: string, update: TurnUpdate, turn: number): void;
  observe(event: JournalEvent): void;
  of(agent: string, turn: number): TurnActivity | undefined;
  /** Calls back after each update. Returns what ends the listening. */
  onChange(listener: () => void): () => void;
  /** What the running turns have used so far, which no event says yet. */
  readonly usage: Usage;
}

interface Entry {
  readonly said: BoundedText;
  lastTool: (ShownToolUse & { readonly call: string }) | undefined;
  usage: Usage;
}

// More than any pane shows.
const MAX_TEXT_CHARS = 4096;
const MAX_INPUT_CHARS = 2000;

/** An empty log. */
export function createActivityLog(): ActivityLog {
  const entries = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  const entryOf = (key: string) => {
    const known = entries.get(key) ?? createEntry();
    entries.set(key, known);
    return known;
  };
  return {
    update: (agent, update, turn) => {
      take(entryOf(keyOf(agent, turn)), update);
      for (const listener of listeners) listener();
    },
    observe: (event) => {
      if (
        event.type === "turn-completed" ||
        event.type === "turn-failed" ||
        event.type === "turn-interrupted"
      )
        entries.delete(keyOf(event.agent, event.turn));
    },
    of: (agent, turn) => {
      const entry = entries.get(keyOf(agent, turn));
      return entry && { text: entry.said.text, lastTool: entry.lastTool, usage: entry.usage };
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get usage() {
      return [...entries.values()].reduce<Usage>((sum, entry) => addUsage(sum, entry.usage), {});
    },
  };
}

function keyOf(agent: string, turn: number): string {
  return `${turn}/${agent}`;
}

function createEntry(): Entry {
  return { said: createBoundedText(MAX_TEXT_CHARS), lastTool: undefined, usage: {} };
}

function take(entry: Entry, update: TurnUpdate): void {
  switch (update.type) {
    case "text-delta":
      entry.said.append(update.text);
      return;
    case "tool-call": {
      const input = (JSON.stringify(update.input) ?? "").slice(0, MAX_INPUT_CHARS);
      entry.lastTool = { call: update.call, tool: update.tool, input, status: "running" };
      return;
    }
    case "tool-result":
      if (entry.lastTool?.call === update.call)
        entry.lastTool = { ...entry.lastTool, status: update.isError ? "failed" : "ok" };
      return;
    case "usage":
      entry.usage = addUsage(entry.usage, update.usage);
      return;
    case "thinking":
    case "file-change":
    case "activity":
    case "retrying":
    case "stop":
    case "error":
      return;
  }
}
