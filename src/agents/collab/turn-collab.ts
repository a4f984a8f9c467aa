import type { AgentSpec } from "../../contracts/agent.ts";
import type {
  ChildRequest,
  CloseAnswer,
  CollabAgent,
  CollabPort,
  ReachedAgent,
  TaskAnswer,
  TaskRequest,
  ToldStatus,
  WaitAnswer,
  WaitRequest,
} from "../../contracts/collab.ts";
import { collabStatusOf } from "../../fold/collab-status.ts";
import { hasWakingMessages } from "../../fold/message-reading.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import { isPostedUnder } from "../../fold/state/message-source.ts";
import { present } from "../../foundation/present.ts";
import { sendAsAgent } from "../../messaging/post-message.ts";
import { assertRate } from "../../messaging/sending-rate.ts";
import type { CollabCaller } from "../collab-door.ts";
import { CallJournal } from "./call-journal.ts";
import { CallerView } from "./caller-view.ts";
import { childSpec, freeChildId } from "./child-spec.ts";
import { assertMayClose, closeAgents } from "./close-agents.ts";
import type { CollabOptions } from "./collab-options.ts";
import { continuedSession, forkedSession } from "./continued-session.ts";
import {
  collabHeld,
  collabKindUnknown,
  collabNothing,
  collabNotOver,
  collabNotReady,
  collabOver,
  collabTooManyCalls,
} from "./errors.ts";
import { childrenOf, liveSubtree } from "./reach.ts";
import { effectiveTimeoutMs, waitUntil } from "./wait-until.ts";

// What the agent of one turn does with agents of its own (COL-1 to COL-14).
// Q1: it reaches its children, all below them, and those that report to it; of others it learns nothing.
// Q2: a call of a turn that is started again gives the answer of the first one, if that did something.
// Q3: no call waits for another, and none for longer than the caller's client does.

const MAX_OPEN_WAITS = 16;
const GO_ON = "Go on with what you were doing.";

/** The calls of one turn. */
export class TurnCollab implements CollabPort {
  readonly #options: CollabOptions;
  readonly #caller: CollabCaller;
  readonly #view: CallerView;
  readonly #calls: CallJournal;
  readonly #calledAt: number[] = [];
  #openWaits = 0;

  constructor(options: CollabOptions, caller: CollabCaller) {
    this.#options = options;
    this.#caller = caller;
    this.#view = new CallerView(options.runtime, caller);
    this.#calls = new CallJournal(options.runtime, caller, this.#view);
  }

  spawn(request: ChildRequest): Promise<CollabAgent> {
    return this.#spawn(request, undefined);
  }

  async #spawn(request: ChildRequest, call: string | undefined): Promise<CollabAgent> {
    this.#assertRate();
    const kind = await this.#options.kinds.find(request);
    const parent = this.#view.self;
    const planned = { request, kind, collabTools: this.#options.tools };
    await this.#assertReady(childSpec(parent, { ...planned, id: parent.id }), request.backend);
    const { key, use } = this.#calls.keyOf("spawn", { ...request, ...present({ call }) });
    const known = this.#calls.answered(key);
    use();
    if (known !== undefined) return known;
    const { kinds } = this.#options;
    const isTaken = (name: string) =>
      findAgent(this.#view.state, name) !== undefined || kinds.isReserved(name);
    const id = freeChildId(request, isTaken);
    const spec = childSpec(parent, { ...planned, id });
    const continues = request.fork === true ? forkedSession(parent, spec) : undefined;
    return this.#calls.carryOut(
      { operation: "spawn", key, agents: [id], prompt: request.prompt },
      () => {
        this.#assertMayPost();
        this.#assertMaySpawn();
        if (!this.#options.staff.hire(spec, continues)) throw collabHeld({});
        this.#post(id, { text: request.prompt, key: `${key}/prompt`, interrupt: false });
      },
    );
  }

  async send({ id, prompt, interrupt }: Parameters<CollabPort["send"]>[0]): Promise<CollabAgent> {
    this.#assertRate();
    const agent = this.#view.find(id);
    const { key, use } = this.#calls.keyOf("send", { id: agent.id, prompt, interrupt });
    use();
    if (isPostedUnder(this.#view.state, key)) return this.#view.describe(agent);
    return this.#calls.carryOut({ operation: "send", key, agents: [agent.id], prompt }, () => {
      if (agent.status === "exited" || this.#options.staff.isLeaving(agent.id))
        throw collabOver({ agent: agent.id });
      this.#assertMayPost();
      this.#post(agent.id, { text: prompt, key, interrupt });
    });
  }

  /** Its own calls are journaled like those of an agent that makes them one by one. */
  async task(request: TaskRequest): Promise<TaskAnswer> {
    const { call } = request;
    const { isBackground = false } = await this.#options.kinds.find(request);
    const background = request.background ?? isBackground;
    const { id } = await this.#begin(request, background);
    const isPatient = this.#clientTimeoutMs() === Infinity;
    let status: ToldStatus = { status: this.#view.status(id) };
    while (!background) {
      const { statuses, timedOut } = await this.#wait({ ids: [id], mode: "all" }, call);
      status = statuses[id] ?? status;
      if (!timedOut || !isPatient) break;
    }
    return { id, ...status, usage: this.#view.known(id).usage };
  }

  /** A task goes on with the agent of an earlier one, or gets one of its own. */
  #begin(request: TaskRequest, background: boolean): Promise<CollabAgent> {
    const { resume: id, background: _background, call, ...wanted } = request;
    if (id !== undefined) return this.#resume({ id, prompt: request.prompt }, call);
    const subagent = background ? "background" : "foreground";
    return this.#spawn({ ...wanted, subagent }, call);
  }

  wait(request: WaitRequest): Promise<WaitAnswer> {
    return this.#wait(request, undefined);
  }

  async #wait(
    { ids, mode, timeoutMs }: WaitRequest,
    call: string | undefined,
  ): Promise<WaitAnswer> {
    this.#assertRate();
    const wanted =
      ids.length > 0
        ? [...new Set(ids)]
        : childrenOf(this.#view.state, this.#caller.agent).map(idOf);
    if (wanted.length === 0) throw collabNothing({});
    if (this.#openWaits >= MAX_OPEN_WAITS) throw collabTooManyCalls({ limit: MAX_OPEN_WAITS });
    const effectiveMs = effectiveTimeoutMs(
      { askedMs: timeoutMs, clientMs: this.#clientTimeoutMs() },
      this.#options.waits,
    );
    const { key, use } = this.#calls.keyOf("wait", {
      ...{ ids: wanted, mode, timeoutMs: timeoutMs ?? null },
      ...present({ call }),
    });
    use();
    const isOver = () => this.#view.areFinal(wanted, mode);
    this.#openWaits += 1;
    let timedOut = false;
    try {
      await this.#calls.record(
        { operation: "wait", key, agents: this.#view.idsOf(wanted) },
        async () => {
          timedOut = !(await waitUntil(this.#options.runtime, isOver, {
            timeoutMs: effectiveMs,
            caller: this.#caller,
          }));
          return { ...this.#view.statusesOf(wanted), timedOut };
        },
      );
    } finally {
      this.#openWaits -= 1;
    }
    const statuses = Object.fromEntries(wanted.map((id) => [id, this.#view.told(id)]));
    return { statuses, timedOut, effectiveTimeoutMs: effectiveMs };
  }

  async close(id: string): Promise<CloseAnswer> {
    this.#assertRate();
    const agent = this.#view.find(id);
    assertMayClose(this.#view, agent);
    const { key, use } = this.#calls.keyOf("close", { id: agent.id });
    use();
    const first = this.#view.state.collabCalls.get(key);
    const subtree = liveSubtree(this.#view.state, agent);
    const now = this.#view.told(agent.id);
    const isAgain = first !== undefined && subtree.length === 0;
    const previous = isAgain && first.status !== now.status ? { status: first.status } : now;
    if (!isAgain)
      await this.#calls.record({ operation: "close", key, agents: [agent.id] }, async () => {
        await closeAgents(this.#options, subtree, this.#caller.agent);
        return { agents: [agent.id], statuses: { [agent.id]: previous.status } };
      });
    // Their ends are told by this answer.
    for (const each of subtree) this.#view.told(each.id);
    const ending = subtree
      .filter(({ id: each }) => this.#view.status(each) !== "shutdown")
      .map(idOf);
    return { id: agent.id, previous, closed: subtree.map(idOf), ending };
  }

  resume(request: Parameters<CollabPort["resume"]>[0]): Promise<CollabAgent> {
    return this.#resume(request, undefined);
  }

  async #resume(
    { id, prompt }: Parameters<CollabPort["resume"]>[0],
    call: string | undefined,
  ): Promise<CollabAgent> {
    this.#assertRate();
    const agent = this.#view.find(id);
    const content = { id: agent.id, prompt: prompt ?? null, ...present({ call }) };
    const { key, use } = this.#calls.keyOf("resume", content);
    const known = this.#calls.answered(key);
    use();
    if (known !== undefined) return known;
    const told = prompt === undefined ? {} : { prompt };
    return this.#calls.carryOut({ operation: "resume", key, agents: [agent.id], ...told }, () => {
      const { status } = collabStatusOf(this.#view.state, agent);
      const isExited = agent.status === "exited";
      if (!isExited && status !== "errored") throw collabNotOver({ agent: agent.id, status });
      this.#assertParentLives(agent);
      this.#assertMayPost();
      if (isExited) this.#hireAgain(agent);
      // What it had not dealt with lies in its inbox still.
      if (prompt !== undefined || !hasWakingMessages(this.#view.state, agent.id))
        this.#post(agent.id, { text: prompt ?? GO_ON, key: `${key}/prompt`, interrupt: false });
    });
  }

  async list(): Promise<readonly ReachedAgent[]> {
    return this.#view.list();
  }

  /** How long the client of the caller lets a call run. */
  #clientTimeoutMs(): number | undefined {
    return this.#options.backends.find(this.#view.self.backend)?.toolCallTimeoutMs;
  }

  /** Nobody is brought back who would end at once with its parent. */
  #assertParentLives({ spec }: AgentState): void {
    const parent = spec.spawnedBy === undefined ? undefined : this.#view.known(spec.spawnedBy);
    if (parent?.status === "exited") throw collabOver({ agent: parent.id });
  }

  #hireAgain(agent: AgentState): void {
    const continues = continuedSession(this.#options.runtime, agent);
    this.#assertMaySpawn();
    if (!this.#options.staff.hire(agent.spec, continues)) throw collabHeld({});
  }

  #post(
    to: string,
    { text, key, interrupt }: { readonly text: string; key: string; interrupt: boolean },
  ): void {
    const { runtime, mainChannel } = this.#options;
    const draft = { to: [to], text, ...(interrupt ? { interrupt } : {}) };
    const { agent: from } = this.#caller;
    // What is written to an agent of one's own asks no person for anything.
    sendAsAgent(runtime, { from, draft, key, mainChannel, mentionsIn: "" });
  }

  #assertMayPost(): void {
    const { agent, turn } = this.#caller;
    this.#options.budget.assertMayPost(agent, turn);
  }

  #assertMaySpawn(): void {
    const { agent, turn } = this.#caller;
    this.#options.budget.assertMaySpawnIn(agent, turn);
  }

  #assertRate(): void {
    const nowMs = this.#options.runtime.timers.now();
    assertRate(this.#caller.agent, this.#calledAt, nowMs);
    this.#calledAt.push(nowMs);
  }

  /** Raises COLLAB_KIND_UNKNOWN, COLLAB_BACKEND_NOT_READY. */
  async #assertReady(spec: AgentSpec, asked: string | undefined): Promise<void> {
    const own = this.#view.self.backend;
    const known = [...new Set([own, ...this.#options.kinds.backends()])];
    if (asked !== undefined && !known.includes(asked))
      throw collabKindUnknown({ what: "backend", name: asked, known });
    if (spec.backend === own) return;
    const backend = await this.#options.backends.load(spec.backend);
    const [problem] = await backend.check(spec);
    if (problem !== undefined)
      throw collabNotReady({ backend: spec.backend, problem: problem.message });
  }
}

function idOf({ id }: AgentState): string {
  return id;
}
