import { z } from "zod";
import type { AgentExitReason, AgentStatus } from "../../../contracts/agent.ts";
import type { JournalEvent } from "../../../contracts/events/event.ts";
import type { RunCommand } from "../../../contracts/events/run-events.ts";
import type { WorkflowResult } from "../../../contracts/workflow-result.ts";
import type { RunParting } from "../../../engine/run-exit.ts";
import { findAgent } from "../../../fold/state/agent-lookup.ts";
import type { RunState } from "../../../fold/state/run-state.ts";
import { fromErrorReport } from "../../../foundation/errors.ts";
import type { Json } from "../../../foundation/json.ts";
import { present } from "../../../foundation/present.ts";
import { otherResult, runLetGo } from "./errors.ts";
import type { EventFeed } from "./event-feed.ts";
import type { OwnedRun } from "./run-owner.ts";

/** An agent of a run that this process carries out. */
export interface LiveAgent {
  readonly name: string;
  readonly status: AgentStatus;
  /** Sends the agent a direct message as `user`. */
  sendMessage(text: string): Promise<void>;
  /** Ends the agent as soon as its turn is over; resolves once that is recorded. */
  release(): Promise<void>;
  /** Resolves with the reason once the agent's life is over. */
  waitForExit(): Promise<AgentExitReason>;
}

/** Where a message goes. */
export interface SendOptions {
  /** Ids of agents. Absent: the main channel. */
  readonly to?: readonly string[];
  /** Cut off what they do instead of waiting for its end. Defaults to false. */
  readonly interrupt?: boolean;
}

/** What a person decides. */
export interface RunDecision {
  /** Defaults to true. */
  readonly approved?: boolean;
  /** Told to whoever asked. */
  readonly comment?: string;
}

/** A run that this process carries out. */
export interface WorkflowRun {
  readonly id: string;
  /**
   * Resolves when the run of a pattern workflow is over, whatever its outcome. Rejects with RUN_LET_GO when it was
   * let go before: also when only people can move it on and nobody has looked at `events`, `agents` or `state`. Rejects with
   * RUN_RESULT_DIFFERS for other workflows, whose result is that of `parted`.
   */
  readonly result: Promise<WorkflowResult>;
  /** How this process and the run parted: over, or let go. Rejects when the journal failed. */
  readonly parted: Promise<RunParting>;
  /** The agents so far. */
  readonly agents: readonly LiveAgent[];
  /** Durable events from the first of this process on; any number of readers. */
  readonly events: AsyncIterable<JournalEvent>;
  /** Everything known about the run; read only. */
  readonly state: RunState;
  /** Ends the run as cancelled; resolves when it is over. */
  cancel(reason?: string): Promise<void>;
  /** Lets go of the run; `resume` goes on. */
  suspend(exitCode?: number): Promise<void>;
  /** Sends a message to all agents as `user`. */
  broadcast(text: string): Promise<void>;
  /** Posts as `user`: to the main channel, or to the agents of `to`. Rejects with MESSAGE_* errors. */
  send(text: string, options?: SendOptions): Promise<void>;
  /** Answers a question that waits, by its id. Rejects with ENGINE_* errors when it waits no more. */
  answer(question: string, text: string): Promise<void>;
  /** Decides an approval or a permission that waits, by its id. Rejects with ENGINE_* errors when it waits no more. */
  approve(item: string, decision?: RunDecision): Promise<void>;
  /** Carries out any command; resolves once what it caused is durable. */
  command(command: RunCommand, by?: string): Promise<Json>;
}

/** What the run handle is made from. */
export interface WorkflowRunParts {
  readonly id: string;
  readonly owned: OwnedRun;
  readonly feed: EventFeed;
  /** Ends what belongs to the process: sockets, processes, files. */
  readonly close: () => Promise<void>;
  readonly newKey: () => string;
}

/** The live handle of a run; closes what belongs to it once run and process have parted. */
export function createWorkflowRun(parts: WorkflowRunParts): WorkflowRun {
  const { id, owned, feed } = parts;
  const parted = closeAfter(parts);
  const result = parted.then((parting) => toResult(id, parting));
  // Callers that watch `parted` or the events need not look at the result.
  result.catch(() => {});
  const send = async (text: string, { to, interrupt }: SendOptions = {}) => {
    const sent = {
      kind: "send",
      text,
      key: parts.newKey(),
      ...present({ to, interrupt }),
    } as const;
    await owned.command(sent, "user");
  };
  return {
    id,
    result,
    parted,
    events: feed,
    state: owned.state,
    get agents() {
      return [...owned.state.agents.keys()].map((name) => liveAgent(name, parts));
    },
    cancel: async (reason = "cancelled by its caller") => {
      await owned.command({ kind: "cancel", reason }, "user");
      await parted;
    },
    suspend: async (exitCode = 130) => {
      owned.interrupt(exitCode);
      await parted;
    },
    broadcast: (text) => send(text, { to: [...owned.state.agents.keys()] }),
    send,
    answer: async (id, answer) => {
      await owned.command({ kind: "answer-question", id, answer }, "user");
    },
    approve: async (id, decision) => {
      await owned.command(decisionOn(owned.state, id, decision), "user");
    },
    command: (command, by = "user") => owned.command(command, by),
  };
}

/** An approval, or the permission of that id. */
function decisionOn(
  { inbox, resolved }: RunState,
  id: string,
  { approved = true, comment }: RunDecision = {},
): RunCommand {
  const kind = inbox.get(id)?.kind ?? resolved.get(id)?.kind;
  const said = present({ comment });
  if (kind === "permission")
    return { kind: "resolve-permission", id, decision: approved ? "allowed" : "denied", ...said };
  const decision = approved ? "approved" : "rejected";
  return { kind: "resolve-approval", approval: id, decision, ...said };
}

async function closeAfter({ owned, feed, close }: WorkflowRunParts): Promise<RunParting> {
  try {
    return await owned.parted;
  } finally {
    feed.end();
    await close();
  }
}

function liveAgent(name: string, { owned, feed, newKey }: WorkflowRunParts): LiveAgent {
  return {
    name,
    get status() {
      return findAgent(owned.state, name)?.status ?? "exited";
    },
    sendMessage: async (text) => {
      await owned.command({ kind: "send", text, to: [name], key: newKey() }, "user");
    },
    release: async () => {
      await owned.command({ kind: "release", agent: name }, "user");
    },
    waitForExit: async () => {
      for await (const event of feed)
        if (event.type === "agent-exited" && event.agent === name) return event.reason;
      return findAgent(owned.state, name)?.exit?.reason ?? "released";
    },
  };
}

const message = z.object({
  id: z.string(),
  seq: z.number(),
  timestamp: z.string(),
  from: z.string(),
  to: z.array(z.string()).exactOptional(),
  channel: z.string().exactOptional(),
  text: z.string(),
  body: z.object({ ref: z.string(), sizeBytes: z.number() }).exactOptional(),
  mentions: z.array(z.string()),
  threadId: z.string().exactOptional(),
  signals: z.array(z.string()),
  interrupt: z.boolean().exactOptional(),
});

const workflowResult: z.ZodType<WorkflowResult> = z.object({
  pattern: z.string(),
  agents: z.array(
    z.object({
      name: z.string(),
      exitReason: z.enum(["exited", "released", "timeout", "failed", "cancelled"]),
      completedBy: z
        .enum(["done-signal", "verified", "exit", "released", "timeout", "failed"])
        .exactOptional(),
      messages: z.array(message),
      summary: z.string().exactOptional(),
    }),
  ),
  durationMs: z.number(),
  success: z.boolean(),
  output: z.string(),
  metadata: z.record(z.string(), z.json()),
});

function toResult(run: string, parting: RunParting): WorkflowResult {
  if (parting.status === "suspended") {
    const { reason, error } = parting.event;
    throw error === undefined ? runLetGo({ run, reason }) : fromErrorReport(error);
  }
  const result = workflowResult.safeParse(parting.event.result);
  if (!result.success) throw otherResult({ run });
  return result.data;
}
