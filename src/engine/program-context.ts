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
import {
  approvalOutcome,
  nextOutcome,
  postOutcome,
  spawnOutcome,
  statusOutcome,
  turnOutcome,
} from "./operation-outcomes.ts";
import type { OperationQuestion } from "./operation-runner.ts";
import { type StepPorts, stepHandler } from "./operations/step-operation.ts";
import type { ScopeNode } from "./scope.ts";

/** What contexts need of the run that they belong to. */
export interface ContextPorts {
  readonly facts: RunFacts;
  readonly seed: string;
  readonly step: StepPorts;
  ask(scope: ScopeNode, question: OperationQuestion): Promise<Json>;
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
  const ask = (kind: string, input: Json) => ports.ask(scope, { kind, input });
  let random: Random | undefined;
  const nextRandom = () => {
    random ??= seededRandom(`${ports.seed}:${scope.path}`);
    return random();
  };
  return {
    run: ports.facts,
    path: scope.path,
    step: (name, run, options = {}) => askStep(scope, ports, { name, run, options }),
    spawn: async (spec) =>
      spawnOutcome.parse(await ask("spawn", { spec: toJson(spec, "an agent") })),
    turn: async (agent, prompt, options = {}) =>
      turnOutcome.parse(await ask("turn", toJson({ agent, prompt, ...options }, "a turn"))),
    interrupt: async (agent) => statusOutcome.parse(await ask("interrupt", { agent })),
    release: async (agent, reason) => statusOutcome.parse(await ask("release", { agent, reason })),
    post: async (message) => postOutcome.parse(await ask("post", toJson(message, "a message"))),
    subscribe: (selector) => subscribe(selector, ports),
    next: (subscription, options = {}) => askNext(scope, ports, { subscription, options }),
    answer: async (request, value, options = {}) => {
      await ask("answer", { request, value, isError: options.isError ?? false });
    },
    quiescent: async ({ quietMs }) => {
      await ask("quiescent", { quietMs });
    },
    sleep: async (durationMs) => {
      await ask("sleep", { durationMs });
    },
    approval: async (spec) =>
      approvalOutcome.parse(await ask("approval", toJson(spec, "an approval"))),
    child: (spec) => ask("child", { workflow: spec.workflow, input: spec.input }),
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

async function askStep<Result extends Json>(
  scope: ScopeNode,
  ports: ContextPorts,
  task: {
    readonly name: string;
    readonly run: (call: StepCall) => Promise<Result> | Result;
    readonly options: StepOptions;
  },
): Promise<Result> {
  const handler = stepHandler(task, ports.step);
  const outcome = await ports.ask(scope, { kind: "step", input: { name: task.name }, handler });
  assertRecorded<Result>(outcome);
  return outcome;
}

/** The outcome of a step is what its own function returned, now or in an earlier process. */
function assertRecorded<Result extends Json>(_outcome: Json): asserts _outcome is Result {}

function subscribe(selector: Selector, ports: ContextPorts): Subscription {
  const subscription: MovingSubscription = { selector, cursor: ports.lastDelivered().seq };
  return subscription;
}

async function askNext(
  scope: ScopeNode,
  ports: ContextPorts,
  asked: { readonly subscription: Subscription; readonly options: { readonly timeoutMs?: number } },
): Promise<JournalEvent | undefined> {
  const { subscription, options } = asked;
  const input = toJson(
    { selector: subscription.selector, after: subscription.cursor, ...options },
    "a selector",
  );
  const outcome = nextOutcome.parse(await ports.ask(scope, { kind: "next", input }));
  if (outcome === null) return undefined;
  Object.assign(subscription, { cursor: outcome.seq });
  return ports.factAt(outcome.seq);
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
      const fired = ports.ask(scope, { kind: "deadline", input: { durationMs: timeoutMs } });
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
  const result = finish();
  // Whoever awaits the result sees its error; a branch that lost a race must not end the process.
  result.catch(() => {});
  return { result, cancel: (reason) => scope.cancel(reason) };
}
