import type { Json } from "../foundation/json.ts";

/** What a provider wants to see again with a part of an answer: signatures of thoughts, names of items. */
export interface ProviderMemory {
  readonly [provider: string]: { readonly [name: string]: Json };
}

/** A part of what a model has said. */
export type SaidPart =
  | {
      readonly type: "text" | "reasoning";
      readonly text: string;
      readonly options?: ProviderMemory;
    }
  | {
      readonly type: "call";
      /** The provider's name of the call. */
      readonly id: string;
      readonly tool: string;
      /** JSON, as the model wrote it. */
      readonly input: string;
      readonly options?: ProviderMemory;
    };

/** One message of a conversation with a model. */
export type ConversationMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly parts: readonly SaidPart[] }
  /** What a call came to. */
  | {
      readonly role: "tool";
      readonly id: string;
      readonly isError: boolean;
      readonly text: string;
    };
