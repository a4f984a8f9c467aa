import type {
  Context,
  RunFacts,
  Scope,
  ScopeOptions,
  StepCall,
  StepOptions,
} from "../contracts/context.ts";
import type { JournalEvent } from "../contracts/event.ts";
import type { NoteData } from "../contracts/events/note-events.ts";
import type { Selector, Subscription } from "../contracts/selector.ts";
import { shortId } from "../foundation/ids.ts";
import { type Json, toJson } from "../foundation/json.ts";
import { type Random, seededRandom } from "../foundation/random.ts";
import { scopeTimedOut } from "./errors.ts";
import type { OperationQuestion } from "./open-operation.ts";
import {
  approvalOutcome,
  nextOutcome,
  postOutcome,
  spawnOutcome,
  statusOutcome,
  turnOutcome,
} from "./operation-outcomes.ts";
import { type StepPorts, stepHandler } from "./operations/step-operation.ts";
import type { ScopeNode } from "./scope.ts";

/** What contexts need of the run that they belong to. */
export interface ContextPorts {
  readonly facts: RunFacts;
  readonly seed: string;
  readonly step: StepPorts;
  /** `read` turns the outcome into what the program sees. */
  ask<Value>(
    scope: ScopeNode,
    question: OperationQuestion,
    read: (outcome: Json) => Value,
  ): Promise<Value>;
  lastDelivered(): { readonly seq: number; readonly at: number };
  factAt(seq: number): JournalEvent | undefined;
  note(note: string, data: NoteData): void;
  scopeOver(path: string): void;
  runPattern(context: Context, name: string, options: Json): Promise<Json>;
}

/** A subscription whose cursor moves as facts are handed out. */
interface MovingSubscription extends Subscription {
  cursor: number;
}

/** The context of one scope: operations carry its path, numbers and ids derive from it. */
export function createContext(scope: ScopeNode, ports: ContextPorts): Context {
  const ask: Ask = (kind, input, read) => askOperation(scope, ports, { kind, input, read });
  let random: Random | undefined;
  const nextRandom = () => {
    random ??= seededRandom(`${ports.seed}:${scope.path}`);
    return random();
  };
  return {
    run: ports.facts,
    path: scope.path,
    step: (name, run, options = {}) => askStep(scope, ports, { name, run, options }),
    spawn: (spec) => ask("spawn", { spec }, (outcome) => spawnOutcome.parse(outcome)),
    turn: (agent, prompt, options = {}) =>
      ask("turn", { agent, prompt, ...options }, (outcome) => turnOutcome.parse(outcome)),
    interrupt: (agent) => ask("interrupt", { agent }, (outcome) => statusOutcome.parse(outcome)),
    release: (agent, reason) =>
      ask("release", { agent, reason }, (outcome) => statusOutcome.parse(outcome)),
    post: (message) => ask("post", message, (outcome) => postOutcome.parse(outcome)),
    subscribe: (selector) => subscribe(selector, ports),
    next: (subscription, options = {}) => askNext(ask, ports, { subscription, options }),
    answer: (request, value, options = {}) =>
      ask("answer", { request, value, isError: options.isError ?? false }, toNothing),
    quiescent: ({ quietMs }) => ask("quiescent", { quietMs }, toNothing),
    sleep: (durationMs) => ask("sleep", { durationMs }, toNothing),
    approval: (spec) => ask("approval", spec, (outcome) => approvalOutcome.parse(outcome)),
    child: (spec) =>
      ask("child", { workflow: spec.workflow, input: spec.input }, (outcome) => outcome),
    scope: (name, run, options = {}) => openScope(scope, ports, { name, run, options }),
    now: () => ports.lastDelivered().at,
    random: nextRandom,
    newId: (prefix) => shortId(prefix, nextRandom),
    note: (data) => ports.note(scope.nextId("note"), data),
    log: (level, text) => ports.note(scope.nextId("note"), { type: "log", level, text }),
    pattern: (name, options) =>
      openScope(scope, ports, {
        name,
        run: (context) => ports.runPattern(context, name, options),
        options: {},
      }).result,
  };
}

type Ask = <Value>(kind: string, input: unknown, read: (outcome: Json) => Value) => Promise<Value>;

function toNothing(): void {}

function askOperation<Value>(
  scope: ScopeNode,
  ports: ContextPorts,
  asked: {
    readonly kind: string;
    readonly input: unknown;
    readonly read: (outcome: Json) => Value;
  },
): Promise<Value> {
  const { kind, read } = asked;
  try {
    // What is asked is compared in replay with what was recorded, so it must be what JSON makes of it.
    const input = toJson(asked.input, `the input of ${kind}`);
    return ports.ask(scope, { kind, input }, read);
  } catch (error) {
    return unobserved(Promise.reject(error));
  }
}

function askStep<Result extends Json>(
  scope: ScopeNode,
  ports: ContextPorts,
  task: {
    readonly name: string;
    readonly run: (call: StepCall) => Promise<Result> | Result;
    readonly options: StepOptions;
  },
): Promise<Result> {
  const handler = stepHandler(task, ports.step);
  const input = { name: task.name.toWellFormed() };
  return ports.ask(scope, { kind: "step", input, handler }, (outcome) => {
    assertRecorded<Result>(outcome);
    return outcome;
  });
}

/** The outcome of a step is what its own function returned, now or in an earlier process. */
function assertRecorded<Result extends Json>(_outcome: Json): asserts _outcome is Result {}

/** Whoever awaits a promise sees its error; one that nobody awaits must not end the process. */
function unobserved<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => {});
  return promise;
}

function subscribe(selector: Selector, ports: ContextPorts): Subscription {
  const subscription: MovingSubscription = { selector, cursor: ports.lastDelivered().seq };
  return subscription;
}

function askNext(
  ask: Ask,
  ports: ContextPorts,
  asked: { readonly subscription: Subscription; readonly options: { readonly timeoutMs?: number } },
): Promise<JournalEvent | undefined> {
  const { subscription, options } = asked;
  const { selector, cursor: after } = subscription;
  return ask("next", { selector, after, ...options }, (outcome) => {
    const found = nextOutcome.parse(outcome);
    if (found === null) return undefined;
    Object.assign(subscription, { cursor: found.seq });
    return ports.factAt(found.seq);
  });
}

function openScope<Result>(
  parent: ScopeNode,
  ports: ContextPorts,
  branch: {
    readonly name: string;
    readonly run: (context: Context) => Promise<Result>;
    readonly options: ScopeOptions;
  },
): Scope<Result> {
  const scope = parent.child(branch.name, branch.options.shielded ?? false);
  const { timeoutMs } = branch.options;
  let timedOut = false;
  const finish = async () => {
    if (timeoutMs !== undefined) {
      const input = { durationMs: timeoutMs };
      const fired = ports.ask(scope, { kind: "deadline", input }, toNothing);
      const cancelScope = () => {
        timedOut = true;
        scope.cancel(`"${scope.path}" reached its deadline`);
      };
      // The scope's own end cancels the deadline; that is no error of anybody's.
      fired.then(cancelScope, () => {});
    }
    try {
      return await branch.run(createContext(scope, ports));
    } catch (error) {
      if (timedOut && timeoutMs !== undefined)
        throw scopeTimedOut({ scope: scope.path, timeoutMs }, { cause: error });
      throw error;
    } finally {
      scope.close();
      ports.scopeOver(scope.path);
    }
  };
  return { result: unobserved(finish()), cancel: (reason) => scope.cancel(reason) };
}
