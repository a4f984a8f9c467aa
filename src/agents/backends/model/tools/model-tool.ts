import { z } from "zod";
import type { SessionRequest, TurnUpdate } from "../../../../contracts/backend.ts";
import type { Host } from "../../../../contracts/host.ts";
import type { PlanAnswer, PlanStep, QuestionChoice } from "../../../../contracts/turn-client.ts";
import { isJsonObject, type Json, toJson } from "../../../../foundation/json.ts";
import type { CutText } from "../files/cut-text.ts";
import type { FileAccess } from "../files/file-access.ts";
import type { WebPorts } from "../web/fetch-page.ts";
import type { BackgroundJobs } from "./background-jobs.ts";

/** What the tools of a session work with. */
export interface ToolPlace {
  readonly session: Pick<SessionRequest, "cwd" | "confine" | "limits" | "logFile">;
  /** The environment of what they start: without the keys of models. */
  readonly env: SessionRequest["env"];
  readonly host: Host;
  readonly files: FileAccess;
  readonly jobs: BackgroundJobs;
  /** What pages may be fetched from; undefined where the agent has no network. */
  readonly web: WebPorts | undefined;
}

/** The turn in which a tool is used. */
export interface RunningToolUse {
  readonly signal: AbortSignal;
  /** The same text whenever this call is made again, and of no other call of the run. */
  readonly key: string;
  /** Asks a person. */
  ask(question: string, choice?: QuestionChoice): Promise<string>;
  /** See TurnClient.plan. */
  plan(step: PlanStep): Promise<PlanAnswer>;
  /** Calls one of Troupe's own tools. */
  callTool(name: string, input: Json): Promise<Json>;
  emit(update: Extract<TurnUpdate, { readonly type: "file-change" | "activity" }>): void;
}

/** A call that was found good, before anybody has allowed it. */
export interface PreparedCall {
  /** What permission is asked for: the input, with the real places of its paths. */
  readonly asks: Json;
  /** Does it; the text is for the model. Raises ToolFailure and the signal's reason. */
  run(use: RunningToolUse): Promise<string | CutText>;
}

/** A tool of agents of backend `model`. */
export interface ModelTool {
  readonly name: string;
  /** For models. */
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: { readonly [key: string]: Json };
  /** Whether it may change anything: then it runs alone, and never twice for one call. */
  readonly hasEffect: boolean;
  /** It does nothing but ask a person or restrict the agent itself: no permission is needed. */
  readonly isFree: boolean;
  /** Reads the input of a call; a text says what is wrong with it. Raises ToolFailure. */
  prepare(input: unknown, place: ToolPlace): Promise<PreparedCall | string>;
}

/** How a tool is declared. */
export interface ModelToolDeclaration<Input> {
  readonly name: string;
  readonly description: string;
  readonly hasEffect: boolean;
  /** Defaults to false. */
  readonly isFree?: true;
  readonly input: z.ZodType<Input>;
  prepare(input: Input, place: ToolPlace): Promise<PreparedCall>;
}

/** Declares a tool; gives its handler the type of its schema. */
export function defineModelTool<Input>(tool: ModelToolDeclaration<Input>): ModelTool {
  const { name, description, hasEffect, isFree = false, input } = tool;
  const schema = toJson(z.toJSONSchema(input, { io: "input" }), `the schema of ${name}`);
  return {
    name,
    description,
    hasEffect,
    isFree,
    inputSchema: { ...(isJsonObject(schema) ? schema : {}), type: "object" },
    prepare: async (given, place) => {
      const parsed = input.safeParse(given);
      if (!parsed.success) return z.prettifyError(parsed.error);
      return tool.prepare(parsed.data, place);
    },
  };
}
