import type { TurnClient } from "../contracts/backend.ts";
import type { DocumentEdit, DocumentRevision } from "../contracts/document.ts";
import type { Message, MessageDraft, PostReceipt } from "../contracts/message.ts";
import type { Signal } from "../contracts/signal.ts";
import type { ToolContext } from "../contracts/tool.ts";
import type { RunRuntime } from "../engine/run-runtime.ts";
import { findAgent, findMailbox } from "../fold/agent-lookup.ts";
import { rejectOnAbort } from "../foundation/abort.ts";
import { shortId } from "../foundation/ids.ts";
import { canonicalJson, type Json } from "../foundation/json.ts";
import { seededRandom } from "../foundation/random.ts";
import { editDocument, readDocument } from "../messaging/edit-document.ts";
import { postMessage } from "../messaging/post-message.ts";
import { readChannel } from "../messaging/read-channel.ts";
import { readStructuredSignal } from "../signals/structured-signal.ts";
import type { BudgetKeeper } from "./budget/budget-keeper.ts";
import {
  NO_RULES,
  type PermissionRules,
  type PolicyRuling,
  rulePolicy,
} from "./permission-rules.ts";
import type { ResolutionWatch } from "./resolution-watch.ts";
import { ancestorsOf } from "./spawn-limits.ts";
import type { TurnDeadline } from "./turn-deadline.ts";

// Everything that an agent may cause beside its text. Each request is numbered within its turn, so that
// a turn that is started again is recognised: the same post, edit or question is not made twice (MSG-3).

/** Tools whose answers put messages before the agent; `channel_peek` leaves them in the inbox. */
const TAKING_TOOLS: ReadonlySet<string> = new Set(["channel_read"]);

/** Calls one of Troupe's tools as an agent. */
export type ToolCaller = (name: string, input: Json, context: ToolContext) => Promise<Json>;

/** The turn that asks. */
export interface AskingTurn {
  readonly agent: string;
  readonly turn: number;
  readonly key: string;
  readonly markers: readonly string[];
  /** Aborts when the turn must end. */
  readonly signal: AbortSignal;
  /** Stands while the turn waits for a person. */
  readonly deadline: TurnDeadline;
}

export interface TurnRequestsOptions {
  readonly runtime: RunRuntime;
  readonly budget: Pick<BudgetKeeper, "assertMayPost">;
  readonly mainChannel: string;
  readonly callTool: ToolCaller;
  readonly resolutions: ResolutionWatch;
  /** Defaults to none: the modes of the agents alone decide. */
  readonly permissionRules?: PermissionRules;
}

/** The requests of one turn, made by its agent as itself. */
export class TurnRequests implements TurnClient {
  readonly #options: TurnRequestsOptions;
  readonly #turn: AskingTurn;
  readonly #signals: Signal[] = [];
  #posted = 0;
  #requests = 0;

  constructor(options: TurnRequestsOptions, turn: AskingTurn) {
    this.#options = options;
    this.#turn = turn;
  }

  /** Structured signals of this turn that count, in order. */
  get signals(): readonly Signal[] {
    return this.#signals;
  }

  /** How many messages the turn has posted. */
  get posted(): number {
    return this.#posted;
  }

  async post(draft: MessageDraft): Promise<PostReceipt> {
    const { runtime, budget, mainChannel } = this.#options;
    const { agent, turn } = this.#turn;
    const key = this.#nextKey();
    // What was posted before the turn was started again costs nothing.
    if (!runtime.state.messages.byKey.has(key)) budget.assertMayPost(agent, turn);
    const receipt = postMessage(runtime, { from: agent, draft, key, mainChannel });
    this.#posted += 1;
    await runtime.flushed();
    return receipt;
  }

  async editDocument(edit: DocumentEdit): Promise<DocumentRevision> {
    const { runtime } = this.#options;
    const revision = editDocument(runtime, { by: this.#turn.agent, edit, key: this.#nextKey() });
    await runtime.flushed();
    return revision;
  }

  async signal(given: Omit<Signal, "by">): Promise<string | undefined> {
    const { agent, turn, markers } = this.#turn;
    const { signal, refused } = readStructuredSignal(given, markers);
    if (refused === undefined) this.#signals.push(signal);
    this.#options.runtime.append({
      type: "signal-received",
      agent,
      turn,
      signal,
      counted: refused === undefined,
      ...(refused === undefined ? {} : { refused }),
    });
    return refused;
  }

  async callTool(name: string, input: Json): Promise<Json> {
    const read: Message[] = [];
    const result = await this.#options.callTool(name, input, this.#toolContext(read));
    if (TAKING_TOOLS.has(name)) this.#take(read);
    // What an agent is shown must be in the journal, also what others have only just written.
    await this.#options.runtime.flushed();
    return result;
  }

  async requestPermission(
    tool: string,
    input: Json,
  ): Promise<{ readonly decision: "allowed" | "denied"; readonly comment?: string }> {
    const { runtime, resolutions } = this.#options;
    const { agent, turn } = this.#turn;
    const id = this.#nextId("prm", { tool, input });
    const { ruling, rule } = this.#policyOn(tool, input);
    if (!runtime.state.resolved.has(id))
      runtime.append({ type: "permission-requested", id, agent, turn, tool, input });
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
    const resolution = await this.#wait(resolutions.of(id));
    if (resolution.kind !== "permission") return { decision: "denied" };
    const { decision, comment } = resolution;
    return comment === undefined ? { decision } : { decision, comment };
  }

  #policyOn(tool: string, input: Json): PolicyRuling {
    const { runtime, permissionRules = NO_RULES } = this.#options;
    const { state } = runtime;
    const spec = findAgent(state, this.#turn.agent)?.spec;
    const above = spec === undefined ? [] : ancestorsOf(state, spec);
    const specs = [spec, ...above.map((id) => findAgent(state, id)?.spec)];
    return rulePolicy(permissionRules, {
      tool,
      input,
      cwd: spec?.cwd ?? state.run.cwd,
      modes: specs.map((one) => one?.permissionMode ?? "ask"),
    });
  }

  async ask(text: string): Promise<string> {
    const { runtime, resolutions } = this.#options;
    const { agent, turn } = this.#turn;
    const id = this.#nextId("qst", text);
    if (!runtime.state.resolved.has(id))
      runtime.append({ type: "question-asked", id, agent, turn, text });
    const resolution = await this.#wait(resolutions.of(id));
    return resolution.kind === "question" ? resolution.answer : "";
  }

  async #wait<Result>(result: Promise<Result>): Promise<Result> {
    // The agent acts on a decision only once that is durable (I1).
    const decided = result.then(async (decision) => {
      await this.#options.runtime.flushed();
      return decision;
    });
    const aborted = rejectOnAbort(this.#turn.signal);
    try {
      return await this.#turn.deadline.standDuring(() => Promise.race([decided, aborted.promise]));
    } finally {
      aborted.stop();
    }
  }

  /** What a turn has read counts as delivered to it, as if it stood in its prompt (MSG-3). */
  #take(read: readonly Message[]): void {
    const { runtime } = this.#options;
    const { agent, turn } = this.#turn;
    const items = findMailbox(runtime.state, agent)?.items;
    const ids = read
      .map((message) => message.id)
      .filter((id) => items?.get(id)?.turn === undefined && items?.has(id) === true);
    if (ids.length > 0) runtime.append({ type: "message-delivered", agent, turn, ids });
  }

  #toolContext(read: Message[]): ToolContext {
    const { runtime, mainChannel } = this.#options;
    const { state } = runtime;
    return {
      run: runtime.run,
      agent: this.#turn.agent,
      post: (draft) => this.post(draft),
      readChannel: (query) => {
        const channel = query.channel ?? mainChannel;
        const stretch = readChannel(state, { ...query, channel });
        read.push(...stretch.messages);
        return stretch;
      },
      readDocument: (name) => readDocument(state, name),
      editDocument: (edit) => this.editDocument(edit),
      agents: () =>
        [...state.agents.values()].map(({ id, spec, status }) => ({
          id,
          name: spec.name ?? id,
          status,
        })),
    };
  }

  #nextKey(): string {
    this.#requests += 1;
    return `${this.#turn.key}/${this.#requests}`;
  }

  /** Bound to what is asked: a decision never serves another request that happens to have its number. */
  #nextId(prefix: string, asked: Json): string {
    const { seed } = this.#options.runtime.state.run;
    return shortId(prefix, seededRandom(`${seed}:${this.#nextKey()}:${canonicalJson(asked)}`));
  }
}
