import type { Machine } from "../../app/machine/machine.ts";
import type { ChatDesk } from "./chat-speech.ts";

/** What commands of a chat work with beside its desk. */
export interface ChatMeans {
  readonly machine: Machine;
  /** Starts modes beside the chat. */
  readonly modes: { start(name: string, line: string, desk: ChatDesk): Promise<void> };
  /** Who is spoken to unless a text names another. */
  readonly agent: string;
}

/** A command that is written in a chat. */
export interface SlashCommand {
  /** What it takes, for people. */
  readonly takes: string;
  readonly about: string;
  act(rest: string, desk: ChatDesk, means: ChatMeans): Promise<void> | void;
}
