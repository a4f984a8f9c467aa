import type { z } from "zod";
import type { Json } from "../foundation/json.ts";
import type { CollabPort } from "./collab.ts";
import type { DocumentEdit, DocumentRevision, DocumentSuggestion } from "./document.ts";
import type { Message, OptimisticDraft, PostReceipt, PostResult, ResourcePart } from "./message.ts";
import type { Signal } from "./signal.ts";
import type { StigmergySpec } from "./stigmergy.ts";
import type { TrajectoryRecord } from "./trajectory.ts";

/** What is shared in a run; tools that need a part which is off are not offered. */
export interface SharedParts {
  readonly channel: boolean;
  readonly document: boolean;
  /** How marks fade that agents leave for each other. Absent: they leave none. */
  readonly trails?: StigmergySpec;
  /** Present where somebody reflects on the work. */
  readonly reflection?: true;
  /** Present where the run keeps a trajectory. */
  readonly trajectory?: true;
}

/** What decides which of Troupe's tools an agent is offered. */
export interface ToolOffer extends SharedParts {
  /** Names of tools, as `AgentSpec.tools` has them. Absent: all. */
  readonly tools?: readonly string[];
  /** Names of tools that the agent is not offered whatever `tools` says. Absent: none. */
  readonly disallowedTools?: readonly string[];
  /** Whether the agent may spawn others: `named`: those tools that `tools` names. Absent: it may not. */
  readonly collab?: "all" | "named";
  /** Tools of the program of the run, as `AgentSpec.asks` has them. */
  readonly asks?: readonly string[];
  /** Signals of roles that the agent may give, as `AgentSpec.signals` has them. */
  readonly signals?: readonly string[];
}

/** What a tool may do, always as the agent that called it. */
export interface ToolContext {
  readonly run: string;
  readonly agent: string;
  readonly offer: ToolOffer;
  /** Raises MESSAGE_* errors. */
  post(draft: OptimisticDraft): Promise<PostResult>;
  /** Messages of a channel after `since` (id or seq), oldest first. Raises MESSAGE_UNKNOWN_POSITION. */
  readChannel(query: {
    readonly channel?: string;
    readonly since?: string | number;
    readonly limit?: number;
  }): { readonly messages: readonly Message[]; readonly next: number; readonly hasMore: boolean };
  readMentions(query: MentionQuery): MentionPage;
  /** These messages stand before the agent now: those of its inbox count as delivered to its turn. */
  take(messages: readonly Message[]): void;
  /** Acks at once. Raises MESSAGE_UNKNOWN_POSITION. */
  ackInbox(choice: InboxChoice): InboxAck;
  readDocument(name: string | undefined): DocumentRevision;
  listDocuments(): readonly DocumentRevision[];
  /** Raises MESSAGE_DOCUMENT_* errors. */
  editDocument(edit: DocumentEdit): Promise<DocumentRevision>;
  /** Tells the owner of a document. Raises MESSAGE_DOCUMENT_* errors. */
  suggestEdit(suggestion: DocumentSuggestion): Promise<PostReceipt>;
  agents(): readonly {
    readonly id: string;
    readonly name: string;
    readonly status: string;
    /** What the agent says of itself. */
    readonly statusText?: string;
  }[];
  /** Says what the agent is doing; an empty text takes it back. */
  setStatus(text: string): void;
  /** Hand-overs that are left of a task that the agent holds; undefined where there are none to count. */
  handoffsLeft(): number | undefined;
  /** Marks of a place as they are now; `value` is that of the key. None where the run has no trails. */
  readTrail(query: {
    readonly namespace?: string | undefined;
    readonly key?: string | undefined;
  }): Promise<TrailReading>;
  /** Adds to the trajectory of the run. Raises AGENT_TOO_MANY_RECORDS. */
  record(record: TrajectoryRecord): void;
  /** A structured signal; resolves with the reason of its refusal, or undefined. */
  signal(signal: Omit<Signal, "by">): Promise<string | undefined>;
  /** Raises MESSAGE_UNKNOWN_RESOURCE, MESSAGE_RESOURCE_LOST. */
  readResource(query: {
    readonly ref: string;
    readonly offset?: number;
    readonly limit?: number;
  }): ResourcePart;
  /** Asks a person and waits at most that long. Raises AGENT_TOO_MANY_APPROVALS. */
  requestApproval(request: ApprovalRequest): Promise<ApprovalAnswer>;
  /** Hands a call to the program of the run; rejects with the error that this answers. */
  askProgram(tool: string, input: Json): Promise<Json>;
  readonly collab: CollabPort;
  /** Names the call, where its caller goes on in the middle of a turn. */
  readonly call: string | undefined;
}

/** What lies where agents leave marks. */
export interface TrailReading {
  /** At the key that was asked for; 0 where nothing does. */
  readonly value: number;
  /** The strongest first. */
  readonly marks: readonly {
    readonly key: string;
    readonly value: number;
    readonly lastUpdatedBy: string;
  }[];
}

/** Which messages to an agent are wanted. */
export interface MentionQuery {
  /** Only those that it has not acked yet. */
  readonly unreadOnly: boolean;
  readonly limit: number;
}

/** Messages to an agent, oldest first. */
export interface MentionPage {
  readonly messages: readonly Message[];
  /** Whether the limit left some out: later ones of the unread, else earlier ones. */
  readonly hasMore: boolean;
}

/** Items of an inbox: by the ids of their messages, or all up to the id or seq of one. */
export type InboxChoice = { readonly ids: readonly string[] } | { readonly upTo: string | number };

/** What became of the chosen items; ids of messages. */
export interface InboxAck {
  readonly acked: readonly string[];
  /** Were acked, or given up, before. */
  readonly settled: readonly string[];
  /** Stand before another running turn of the agent, whose end acks them. */
  readonly elsewhere: readonly string[];
  /** Never were in this inbox. */
  readonly unknown: readonly string[];
}

/** What an agent asks a person to approve. */
export interface ApprovalRequest {
  readonly message: string;
  /** What is to be approved. */
  readonly show?: Json;
  /** How long the call waits; the request itself stays open. */
  readonly waitMs: number;
}

/** What is known about a request for approval when the call ends. */
export type ApprovalAnswer =
  | { readonly status: "waiting"; readonly approval: string }
  | {
      readonly status: "approved" | "rejected";
      readonly approval: string;
      readonly by: string;
      readonly comment?: string;
      /** What was approved instead of `show`. */
      readonly edited?: Json;
    };

/** What clients may assume about a tool, in the words of the Model Context Protocol. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Something that agents can call. */
export interface Tool<Input = unknown> {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** For models: what it does and when to use it. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** The part without which the tool is not offered. `program`: its calls go to the program of the run. */
  readonly needs?: keyof SharedParts | "collab" | "program";
  /** Calls of one answer run side by side although they have an effect. Defaults to false. */
  readonly isBeside?: true;
  /** The signal of a role that it gives: only agents to which that belongs are offered it. */
  readonly gives?: string;
  readonly input: z.ZodType<Input>;
  call(input: Input, context: ToolContext): Promise<Json>;
}

/** A tool as a model is told of it. */
export interface DescribedTool
  extends Pick<Tool, "name" | "description" | "annotations" | "isBeside"> {
  /** JSON Schema of an object. */
  readonly inputSchema: { readonly [key: string]: Json };
}

/** Declares a tool; gives its handler the type of its schema. */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}
