import type { TurnClient } from "../contracts/backend.ts";
import type { DocumentEdit, DocumentRevision, DocumentSuggestion } from "../contracts/document.ts";
import type { OptimisticDraft, PostReceipt, PostResult } from "../contracts/message.ts";
import type { Signal } from "../contracts/signal.ts";
import type { ApprovalRequest, SharedParts, ToolContext, ToolOffer } from "../contracts/tool.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { requestId } from "../fold/request-id.ts";
import { findAgent } from "../fold/state/agent-lookup.ts";
import { rejectOnAbort } from "../foundation/abort.ts";
import type { TroupeError } from "../foundation/errors.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { editDocument } from "../messaging/edit-document.ts";
import { sendAsAgent } from "../messaging/send-message.ts";
import { suggestEdit } from "../messaging/suggest-edit.ts";
import type { BudgetKeeper } from "./budget/budget-keeper.ts";
import { agentNoTurn } from "./errors.ts";
import {
  NO_RULES,
  type PermissionRules,
  type PolicyRuling,
  rulePolicy,
} from "./permission-rules.ts";
import { expiryOf, type PermissionTimeout, startPermissionTimeout } from "./permission-timeout.ts";
import { type RequestKey, RequestKeys, type RequestKind } from "./request-key.ts";
import type { ResolutionWatch } from "./resolution-watch.ts";
import { ancestorsOf } from "./spawn-limits.ts";
import { createToolContext } from "./tool-context.ts";
import { TurnApprovals } from "./turn-approvals.ts";
import type { TurnDeadline } from "./turn-deadline.ts";
import { TurnSignals } from "./turn-signals.ts";

// Everything that an agent may cause beside its text. Each request has a key, so that a turn that is started
// again is recognised: the same post, edit or question is not made twice (MSG-3).

/** What a run shares that says nothing else. */
export const ALL_SHARED: SharedParts = { channel: true, document: true };

/** Calls one of Troupe's tools as an agent. */
export type ToolCaller = (name: string, input: Json, context: ToolContext) => Promise<Json>;

interface AskedId {
  readonly id: string;
  readonly asker: string;
}

/** The turn that asks. */
export interface RequestingTurn {
  readonly agent: string;
  readonly turn: number;
  readonly key: string;
  readonly markers: readonly string[];
  /** Path of the step that it serves. */
  readonly step: string | undefined;
  /** Aborts when the turn must end. */
  readonly signal: AbortSignal;
  /** Stands while the turn waits for a person. */
  readonly deadline: Pick<TurnDeadline, "standDuring">;
}

export interface AgentRequestsOptions {
  readonly runtime: RunRuntime;
  readonly budget: Pick<BudgetKeeper, "assertMayPost">;
  readonly mainChannel: string;
  readonly callTool: ToolCaller;
  /** Names of the tools of an offer; `callTool` refuses others. */
  readonly offeredTools: (offer: ToolOffer) => readonly string[];
  /** What the run shares. Defaults to all. */
  readonly shares?: SharedParts;
  readonly resolutions: ResolutionWatch;
  /** Defaults to none: the modes of the agents alone decide. */
  readonly permissionRules?: PermissionRules;
  /** Defaults to none: requests wait until somebody decides. */
  readonly permissionTimeout?: PermissionTimeout;
}

/** The requests of one turn, made by its agent as itself. */
export class AgentRequests implements TurnClient {
  readonly #options: AgentRequestsOptions;
  readonly #turn: RequestingTurn;
  readonly #keys: RequestKeys;
  readonly #approvals: TurnApprovals;
  readonly #signals: TurnSignals;
  /** Ends of what calls wait for. */
  readonly #waits = new Set<(reason: unknown) => void>();
  #posted = 0;
  #isOver = false;

  constructor(options: AgentRequestsOptions, turn: RequestingTurn) {
    this.#options = options;
    this.#turn = turn;
    this.#keys = new RequestKeys(turn.key);
    const { runtime, resolutions } = options;
    const wait = <Result>(result: Promise<Result>) => this.#wait(result);
    this.#signals = new TurnSignals({ ...turn, runtime });
    this.#approvals = new TurnApprovals({ ...turn, runtime, resolutions, wait });
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

  /** How many messages the turn has posted. */
  get posted(): number {
    return this.#posted;
  }

  async post(draft: OptimisticDraft): Promise<PostResult> {
    const { runtime, budget, mainChannel } = this.#options;
    const { agent, turn } = this.#turn;
    const { lastSeen: _lastSeen, force: _force, ...content } = draft;
    const { key, use } = this.#keyOf("post", { ...content });
    // What was posted before the turn was started again costs nothing.
    if (!runtime.state.messages.byKey.has(key)) budget.assertMayPost(agent, turn);
    const result = sendAsAgent(runtime, { from: agent, draft, key, mainChannel });
    if (result.status === "posted") {
      use();
      this.#posted += 1;
    }
    await runtime.flushed();
    return result;
  }

  async editDocument(edit: DocumentEdit): Promise<DocumentRevision> {
    const { runtime } = this.#options;
    const { ifRevision: _ifRevision, claim: _claim, ...content } = edit;
    const { key, use } = this.#keyOf("edit", { ...content });
    const revision = editDocument(runtime, { by: this.#turn.agent, edit, key });
    use();
    await runtime.flushed();
    return revision;
  }

  async signal(given: Omit<Signal, "by">): Promise<string | undefined> {
    this.#assertRunning();
    return this.#signals.give(given);
  }

  async callTool(name: string, input: Json): Promise<Json> {
    this.#assertRunning();
    const result = await this.#options.callTool(name, input, this.#toolContext());
    // What an agent is shown must be in the journal, also what others have only just written.
    await this.#options.runtime.flushed();
    return result;
  }

  async requestPermission(
    tool: string,
    input: Json,
  ): Promise<{ readonly decision: "allowed" | "denied"; readonly comment?: string }> {
    const { runtime, resolutions, permissionTimeout } = this.#options;
    const { agent, turn } = this.#turn;
    const { id, asker } = this.#nextId("prm", "permission", { tool, input });
    const { ruling, rule } = this.#policyOn(tool, input);
    const limit = ruling === "ask" ? permissionTimeout : undefined;
    const expiresAt = expiryOf(runtime, id, limit);
    if (!runtime.state.resolved.has(id))
      runtime.append({
        type: "permission-requested",
        id,
        asker,
        agent,
        turn,
        tool,
        input,
        ...(ruling === "ask" ? {} : { ruling }),
        ...(rule === undefined ? {} : { rule }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
    if (ruling !== "ask" && !runtime.state.resolved.has(id)) {
      const comment = rule === undefined ? {} : { comment: `rule ${rule}` };
      runtime.append({
        type: "permission-resolved",
        id,
        decision: ruling,
        by: "policy",
        ...comment,
      });
    }
    const timer = limit === undefined ? undefined : startPermissionTimeout(runtime, id, limit);
    try {
      const resolution = await this.#wait(resolutions.of(id));
      if (resolution.kind !== "permission") return { decision: "denied" };
      const { decision, comment } = resolution;
      return comment === undefined ? { decision } : { decision, comment };
    } finally {
      timer?.cancel();
    }
  }

  #policyOn(tool: string, input: Json): PolicyRuling {
    const { runtime, permissionRules = NO_RULES } = this.#options;
    const { state } = runtime;
    const { spec, place } = findAgent(state, this.#turn.agent) ?? {};
    const above = spec === undefined ? [] : ancestorsOf(state, spec);
    const specs = [spec, ...above.map((id) => findAgent(state, id)?.spec)];
    return rulePolicy(permissionRules, {
      tool,
      input,
      cwd: place?.directory ?? spec?.cwd ?? state.run.cwd,
      modes: specs.map((one) => one?.permissionMode ?? "ask"),
    });
  }

  async ask(text: string): Promise<string> {
    const { runtime, resolutions } = this.#options;
    const { agent, turn } = this.#turn;
    const { id, asker } = this.#nextId("qst", "question", text);
    if (!runtime.state.resolved.has(id))
      runtime.append({ type: "question-asked", id, asker, agent, turn, text });
    const resolution = await this.#wait(resolutions.of(id));
    return resolution.kind === "question" ? resolution.answer : "";
  }

  async #suggest(suggestion: DocumentSuggestion): Promise<PostReceipt> {
    const { runtime, budget, mainChannel } = this.#options;
    const { agent, turn } = this.#turn;
    const { key, use } = this.#keyOf("suggest", { ...suggestion });
    if (!runtime.state.messages.byKey.has(key)) budget.assertMayPost(agent, turn);
    const receipt = suggestEdit(runtime, { by: agent, suggestion, key, mainChannel });
    use();
    return receipt;
  }

  async #wait<Result>(result: Promise<Result>): Promise<Result> {
    // The agent acts on a decision only once that is durable (I1).
    const decided = result.then(async (decision) => {
      await this.#options.runtime.flushed();
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

  #toolContext(): ToolContext {
    const { runtime, mainChannel, shares = ALL_SHARED } = this.#options;
    const { agent, turn } = this.#turn;
    const deeds = {
      post: (draft: OptimisticDraft) => this.post(draft),
      editDocument: (edit: DocumentEdit) => this.editDocument(edit),
      suggestEdit: (suggestion: DocumentSuggestion) => this.#suggest(suggestion),
      signal: (given: Omit<Signal, "by">) => this.signal(given),
      requestApproval: (request: ApprovalRequest) => this.#approvals.request(request),
    };
    return createToolContext({ runtime, mainChannel, shares, agent, turn, deeds });
  }

  #keyOf(kind: RequestKind, content: unknown): RequestKey {
    this.#assertRunning();
    return this.#keys.of(kind, toJson(content, "a request"));
  }

  /** Bound to what is asked: a decision never serves another request. */
  #nextId(prefix: "prm" | "qst", kind: RequestKind, asked: Json): AskedId {
    const { state } = this.#options.runtime;
    const { key: asker, use } = this.#keyOf(kind, asked);
    use();
    return { id: requestId(state, { prefix, asker, seed: `${state.run.seed}:${asker}` }), asker };
  }

  #assertRunning(): void {
    if (this.#isOver) throw this.#noTurn();
  }

  #noTurn(): TroupeError {
    return agentNoTurn({ agent: this.#turn.agent });
  }
}
