import type { AgentSpec } from "../contracts/agent.ts";
import type { CollabPort } from "../contracts/collab.ts";
import type { DocumentEdit, DocumentRevision, DocumentSuggestion } from "../contracts/document.ts";
import type { OptimisticDraft, PostReceipt, PostResult } from "../contracts/message.ts";
import type { Signal } from "../contracts/signal.ts";
import type { ApprovalRequest, SharedParts, ToolContext, ToolOffer } from "../contracts/tool.ts";
import type {
  PlanAnswer,
  PlanStep,
  QuestionChoice,
  ToldCall,
  TurnClient,
} from "../contracts/turn-client.ts";
import { findAgent, findTurn } from "../fold/state/agent-lookup.ts";
import { isPostedUnder } from "../fold/state/message-source.ts";
import { rejectOnAbort } from "../foundation/abort.ts";
import type { TroupeError } from "../foundation/errors.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { present } from "../foundation/present.ts";
import { editDocument, suggestEdit } from "../messaging/edit-document.ts";
import { sendAsAgent } from "../messaging/post-message.ts";
import { collabOffer } from "./collab-door.ts";
import { agentNoTurn } from "./errors.ts";
import {
  type AskedId,
  type AskedKind,
  askedId,
  isOfBefore,
  type RequestKey,
  RequestKeys,
  type RequestKind,
} from "./request-key.ts";
import type { SessionPorts } from "./session-ports.ts";
import { createToolContext } from "./tool-context.ts";
import { TurnApprovals } from "./turn-approvals.ts";
import type { TurnDeadline } from "./turn-deadline.ts";
import { type PermissionDecision, TurnPermissions } from "./turn-permissions.ts";
import { TurnSignals } from "./turn-signals.ts";
import { narrowed } from "./turn-terms.ts";

// Everything that an agent may cause beside its text. Each request has a key, so that a turn that is started
// again is recognised: the same post, edit or question is not made twice (MSG-3).

/** What a run shares that says nothing else. */
export const ALL_SHARED: SharedParts = { channel: true, document: true };

/** A person reads a question in an inbox, next to others. */
const MAX_QUESTION_LINES = 60;
const MAX_QUESTION_CHARS = 8000;
const MAX_OPTIONS = 50;

/** A question as it is shown; the end of one that is too long is left out, which is said. */
function boundQuestion(text: string): string {
  const lines = text.split("\n", MAX_QUESTION_LINES + 1);
  const shown = lines.slice(0, MAX_QUESTION_LINES).join("\n").slice(0, MAX_QUESTION_CHARS);
  if (shown.length === text.length) return text;
  return `${shown.toWellFormed()}\n… (${text.length - shown.length} characters more are not shown)`;
}

/** What decides which tools an agent is offered. */
export function offerTo(
  { customs, collab }: Pick<SessionPorts, "customs" | "collab">,
  spec: AgentSpec | undefined,
): ToolOffer {
  return {
    ...customs.shares,
    ...present({
      tools: spec?.tools,
      disallowedTools: spec?.disallowedTools,
      signals: spec?.signals,
      asks: spec?.asks,
    }),
    ...collabOffer(collab, spec),
  };
}

/** The turn that asks. */
export interface RequestingTurn {
  readonly agent: string;
  readonly turn: number;
  /** Counts the starts of the turn from 1. */
  readonly attempt: number;
  readonly key: string;
  readonly markers: readonly string[];
  /** Path of the step that it serves. */
  readonly step: string | undefined;
  /** Aborts when the turn must end. */
  readonly signal: AbortSignal;
  /** Stands while the turn waits for others, which it does without its places. */
  readonly deadline: Pick<TurnDeadline, "standDuring">;
}

/** The requests of one turn, made by its agent as itself. */
export class AgentRequests implements TurnClient {
  readonly #ports: SessionPorts;
  readonly #turn: RequestingTurn;
  readonly #keys: RequestKeys;
  readonly #approvals: TurnApprovals;
  readonly #permissions: TurnPermissions;
  readonly #signals: TurnSignals;
  readonly #collab: CollabPort | undefined;
  /** Ends of what calls wait for. */
  readonly #waits = new Set<(reason: unknown) => void>();
  readonly #posted: string[] = [];
  #isOver = false;

  constructor(ports: SessionPorts, turn: RequestingTurn) {
    this.#ports = ports;
    this.#turn = turn;
    const { runtime, resolutions, budget } = ports;
    this.#keys = new RequestKeys(turn.key, {
      isOld: (kind, key) => isOfBefore(runtime.state, kind, key),
      isSpent: (kind, key) => kind === "permission" && this.#isSpent(key),
    });
    const wait = <Result>(result: Promise<Result>) => this.#wait(result);
    this.#signals = new TurnSignals({ ...turn, runtime, deeds: budget.deeds });
    this.#approvals = new TurnApprovals({ ...turn, runtime, resolutions, wait });
    const { permissions: policy } = ports.means;
    const isOver = () => this.#isOver || turn.signal.aborted;
    this.#permissions = new TurnPermissions({
      ...turn,
      runtime,
      resolutions,
      policy,
      wait,
      isOver,
    });
    this.#collab = ports.collab?.open({ ...turn, wait });
  }

  /** The turn is over: calls that wait reject with AGENT_NO_TURN, as all later ones do. */
  end(): void {
    this.#isOver = true;
    for (const reject of this.#waits) reject(this.#noTurn());
  }

  /** Structured signals of this turn that count, in order. */
  get signals(): readonly Signal[] {
    return this.#signals.counted;
  }

  /** Ids of the messages that the turn has posted. */
  get posted(): readonly string[] {
    return this.#posted;
  }

  post(draft: OptimisticDraft): Promise<PostResult> {
    return this.#post(draft, undefined);
  }

  async #post(draft: OptimisticDraft, call: string | undefined): Promise<PostResult> {
    const { runtime, budget, customs } = this.#ports;
    const { agent, turn } = this.#turn;
    const { lastSeen: _lastSeen, force: _force, ...content } = draft;
    const { key, use } = this.#keyOf("post", { ...content, ...present({ call }) });
    // What was posted before the turn was started again costs nothing.
    if (!isPostedUnder(runtime.state, key)) budget.deeds.assertMayPost(agent, turn);
    const result = sendAsAgent(runtime, {
      from: agent,
      draft,
      key,
      mainChannel: customs.mainChannel,
    });
    if (result.status === "posted") {
      use();
      this.#posted.push(result.id);
    }
    await runtime.flushed();
    return result;
  }

  editDocument(edit: DocumentEdit): Promise<DocumentRevision> {
    return this.#editDocument(edit, undefined);
  }

  async #editDocument(edit: DocumentEdit, call: string | undefined): Promise<DocumentRevision> {
    const { runtime } = this.#ports;
    const { ifRevision: _ifRevision, claim: _claim, ...content } = edit;
    const { key, use } = this.#keyOf("edit", { ...content, ...present({ call }) });
    const revision = editDocument(runtime, { by: this.#turn.agent, edit, key });
    use();
    await runtime.flushed();
    return revision;
  }

  async signal(given: Omit<Signal, "by">): Promise<string | undefined> {
    this.#assertRunning();
    return this.#signals.give(given);
  }

  async callTool(name: string, input: Json, call?: string): Promise<Json> {
    this.#assertRunning();
    const result = await this.#ports.tools.call(name, input, this.#toolContext(call));
    // What an agent is shown must be in the journal, also what others have only just written.
    await this.#ports.runtime.flushed();
    return result;
  }

  requestPermission(
    tool: string,
    input: Json,
    named?: string | ToldCall,
  ): Promise<PermissionDecision> {
    const isKnown = typeof named === "string";
    const call = isKnown ? named : named?.told;
    const content = isKnown ? { tool, input, call: named } : { tool, input };
    const asked = this.#nextId("permission", content);
    return this.#permissions.request({ ...asked, tool, input, ...present({ call }) });
  }

  async ask(text: string, choice?: QuestionChoice, call?: string): Promise<string> {
    const { runtime, resolutions } = this.#ports;
    const { agent, turn } = this.#turn;
    const { id, asker } = this.#nextId("question", call === undefined ? text : { text, call });
    const many = choice?.many === true ? ({ many: true } as const) : {};
    const options = { ...present({ options: choice?.options?.slice(0, MAX_OPTIONS) }), ...many };
    const shown = boundQuestion(text);
    if (!runtime.state.resolved.has(id))
      runtime.append({ type: "question-asked", id, asker, agent, turn, text: shown, ...options });
    const resolution = await this.#wait(resolutions.of(id));
    return resolution.kind === "question" ? resolution.answer : "";
  }

  async plan(step: PlanStep): Promise<PlanAnswer> {
    this.#assertRunning();
    const { runtime } = this.#ports;
    const { takePlanStep } = await import("./agent-planning.ts");
    return takePlanStep({ runtime, approvals: this.#approvals, ...this.#turn }, step);
  }

  async #suggest(suggestion: DocumentSuggestion, call: string | undefined): Promise<PostReceipt> {
    const { runtime, budget, customs } = this.#ports;
    const { agent, turn } = this.#turn;
    const { key, use } = this.#keyOf("suggest", { ...suggestion, ...present({ call }) });
    if (!isPostedUnder(runtime.state, key)) budget.deeds.assertMayPost(agent, turn);
    const receipt = suggestEdit(runtime, {
      by: agent,
      suggestion,
      key,
      mainChannel: customs.mainChannel,
    });
    use();
    return receipt;
  }

  async #askProgram(tool: string, input: Json, call: string | undefined): Promise<Json> {
    const { runtime } = this.#ports;
    const wait = <Result>(result: Promise<Result>) => this.#wait(result);
    const key = this.#keyOf("program", { tool, input, ...present({ call }) });
    const { callProgram } = await import("./program-calls.ts");
    return callProgram({ ...this.#turn, runtime, wait }, { tool, input, key });
  }

  async #wait<Result>(result: Promise<Result>): Promise<Result> {
    // The agent acts on a decision only once that is durable (I1).
    const decided = result.then(async (decision) => {
      await this.#ports.runtime.flushed();
      return decision;
    });
    const aborted = rejectOnAbort(this.#turn.signal);
    const over = Promise.withResolvers<never>();
    this.#waits.add(over.reject);
    try {
      return await this.#turn.deadline.standDuring(() =>
        Promise.race([decided, aborted.promise, over.promise]),
      );
    } finally {
      aborted.stop();
      this.#waits.delete(over.reject);
    }
  }

  #toolContext(call: string | undefined): ToolContext {
    const { runtime, customs, budget } = this.#ports;
    const { mainChannel } = customs;
    const { agent, turn } = this.#turn;
    const collab = this.#collab;
    const deeds = {
      get collab() {
        if (collab === undefined)
          throw new Error(`"${agent}" was offered tools that it cannot use`);
        return collab;
      },
      post: (draft: OptimisticDraft) => this.#post(draft, call),
      editDocument: (edit: DocumentEdit) => this.#editDocument(edit, call),
      suggestEdit: (suggestion: DocumentSuggestion) => this.#suggest(suggestion, call),
      signal: (given: Omit<Signal, "by">) => this.signal(given),
      requestApproval: (request: ApprovalRequest) => this.#approvals.request(request),
      askProgram: (tool: string, input: Json) => this.#askProgram(tool, input, call),
      handoversLeft: () => budget.deeds.handoversLeft(agent, turn),
    };
    const offer = offerTo(this.#ports, this.#spec);
    return createToolContext({ runtime, mainChannel, offer, agent, turn, deeds, call });
  }

  /** The agent under the terms of this turn. */
  get #spec(): AgentSpec | undefined {
    const { state } = this.#ports.runtime;
    const { agent: id, turn } = this.#turn;
    const spec = findAgent(state, id)?.spec;
    const tools = findTurn(state, id, turn)?.terms.tools;
    return spec && tools ? { ...spec, tools: narrowed(spec.tools, tools) } : spec;
  }

  #keyOf(kind: RequestKind, content: unknown): RequestKey {
    this.#assertRunning();
    return this.#keys.of(kind, toJson(content, "a request"));
  }

  /** Bound to what is asked: a decision never serves another request. */
  #nextId(kind: AskedKind, asked: Json): AskedId {
    const { state } = this.#ports.runtime;
    const { key: asker, spent, use } = this.#keyOf(kind, asked);
    use();
    const before = spent === undefined ? undefined : askedId(state, kind, spent).id;
    return { ...askedId(state, kind, asker), ...present({ spent: before }) };
  }

  /** Whether an attempt of this turn was allowed what was asked under a key, and went on with that. */
  #isSpent(key: string): boolean {
    const { state } = this.#ports.runtime;
    const used = findTurn(state, this.#turn.agent, this.#turn.turn)?.trail.used;
    return used !== undefined && used.size > 0 && used.has(askedId(state, "permission", key).id);
  }

  #assertRunning(): void {
    if (this.#isOver) throw this.#noTurn();
  }

  #noTurn(): TroupeError {
    return agentNoTurn({ agent: this.#turn.agent });
  }
}
