import type { Json } from "../foundation/json.ts";
import type { DocumentEdit, DocumentRevision } from "./document.ts";
import type { OptimisticDraft, PostResult } from "./message.ts";
import type { Signal } from "./signal.ts";

/**
 * What an agent may ask of Troupe; the sender is the agent of the turn, whatever it says. `call` is given by those who
 * go on in the middle of a turn: it names what is asked for, and the same one again is recognised by it. Without it,
 * equal requests of a turn are told apart by their order.
 */
export interface TurnClient {
  /** Raises MESSAGE_* errors, among them MESSAGE_RATE_EXCEEDED. */
  post(draft: OptimisticDraft): Promise<PostResult>;
  editDocument(edit: DocumentEdit): Promise<DocumentRevision>;
  /** A structured signal; resolves with the reason of its refusal, or undefined. */
  signal(signal: Omit<Signal, "by">): Promise<string | undefined>;
  /** Calls one of Troupe's own tools. Raises AGENT_UNKNOWN_TOOL and what the tool raises. */
  callTool(name: string, input: Json, call?: string): Promise<Json>;
  /**
   * Whether a tool may be used with this input, once: that it was allowed is durable before this resolves. A call that is
   * merely told is not recognised by its name. `isRuled`: a mode, a rule or a time-out decided, and no person.
   */
  requestPermission(
    tool: string,
    input: Json,
    call?: string | ToldCall,
  ): Promise<{
    readonly decision: "allowed" | "denied";
    readonly comment?: string;
    readonly isRuled?: true;
  }>;
  ask(question: string, choice?: QuestionChoice, call?: string): Promise<string>;
  /** Begins or ends planning, in which nothing may be changed: to end it a person approves of the plan (LOOP-14). */
  plan(step: PlanStep): Promise<PlanAnswer>;
}

/** A call as the updates of its turn name it: made again, it has another name. Undefined where none is known. */
export interface ToldCall {
  readonly told: string | undefined;
}

/** What a question may be answered with, beside any other text. */
export interface QuestionChoice {
  readonly options: readonly string[];
  /** Whether several may be chosen. Defaults to false. */
  readonly many?: boolean;
}

/** Planning begins, or is to end with this plan. */
export type PlanStep = { readonly enter: true } | { readonly plan: string };

/** Whether the agent goes on from there. */
export interface PlanAnswer {
  readonly isApproved: boolean;
  readonly comment?: string;
}
