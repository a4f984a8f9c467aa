import type { Json } from "../../foundation/json.ts";

interface InboxItemCommon {
  readonly id: string;
  /** One line for people. */
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly seq: number;
}

/** Something that a person is asked for. */
export type InboxItem = InboxItemCommon &
  (
    | {
        readonly kind: "approval";
        /** The operation that waits; undefined when an agent asks. */
        readonly op: string | undefined;
        /** The agent that asks; undefined when the workflow does. */
        readonly agent: string | undefined;
        /** The turn that waited last; undefined when none does. */
        readonly turn: number | undefined;
        readonly step: string | undefined;
        readonly show: Json | undefined;
        /** SHA-256 of message and show. */
        readonly hash: string;
        /** ISO time after which it decides itself. */
        readonly expiresAt: string | undefined;
      }
    | {
        readonly kind: "permission";
        readonly agent: string;
        readonly turn: number;
        readonly step: string | undefined;
        readonly tool: string;
        readonly input: Json;
        /** ISO time after which it decides itself. */
        readonly expiresAt: string | undefined;
        /** What is known of the same call, if it was allowed once already. */
        readonly known: string | undefined;
      }
    | {
        readonly kind: "question";
        readonly agent: string;
        /** The operation that waits; undefined when an agent asks. */
        readonly op: string | undefined;
        /** The turn that waits for the answer; undefined when a message asks. */
        readonly turn: number | undefined;
        /** Id of the message that asks. */
        readonly message: string | undefined;
        readonly step: string | undefined;
        /** What it may be answered with, by number from 1. */
        readonly options: readonly string[] | undefined;
        /** Whether several of them may be chosen. */
        readonly many: boolean;
      }
  );

/** What became of an item. */
export type InboxResolution = {
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
} & (
  | {
      readonly kind: "approval";
      readonly decision: "approved" | "rejected";
      readonly comment: string | undefined;
      readonly edited: Json | undefined;
    }
  | {
      readonly kind: "permission";
      readonly decision: "allowed" | "denied";
      readonly comment: string | undefined;
    }
  | { readonly kind: "question"; readonly answer: string }
);

/** What the program said to a tool call of a turn that goes on. */
export interface RequestAnswer {
  readonly agent: string;
  readonly turn: number;
  readonly value: Json;
  readonly isError: boolean;
}

/** A tool call that the program has to close. */
export interface OpenRequest {
  readonly request: string;
  readonly agent: string;
  readonly turn: number;
  readonly tool: string;
  readonly arguments: Json;
  readonly seq: number;
}
