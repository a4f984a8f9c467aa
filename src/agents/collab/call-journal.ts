import type { CollabAgent } from "../../contracts/collab.ts";
import type { CollabEnded, CollabOperation } from "../../contracts/events/collab-events.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { toJson } from "../../foundation/json.ts";
import type { CollabCaller } from "../collab-door.ts";
import { agentInterrupted } from "../errors.ts";
import { type RequestKey, RequestKeys } from "../request-key.ts";
import type { CallerView } from "./caller-view.ts";

const MAX_PROMPT_CHARS = 2000;

/** A call that is under way. */
interface Call {
  readonly operation: CollabOperation;
  readonly key: string;
  readonly agents: readonly string[];
  readonly prompt?: string;
}

/** What a call comes to. */
type CallOutcome = Pick<CollabEnded, "agents" | "statuses"> & {
  /** Defaults to false. */
  readonly timedOut?: boolean;
};

/** The calls of one turn as they are written down: under which key, and what each came to. */
export class CallJournal {
  readonly #runtime: RunRuntime;
  readonly #caller: CollabCaller;
  readonly #view: CallerView;
  readonly #keys: RequestKeys;

  constructor(runtime: RunRuntime, caller: CollabCaller, view: CallerView) {
    this.#runtime = runtime;
    this.#caller = caller;
    this.#view = view;
    this.#keys = new RequestKeys(caller.key);
  }

  /** The key of the next call with this content. */
  keyOf(operation: CollabOperation, content: { readonly [name: string]: unknown }): RequestKey {
    return this.#keys.of("collab", toJson({ operation, ...content }, "a call"));
  }

  /** What the call came to when its turn was at this point before. */
  answered(key: string): CollabAgent | undefined {
    const first = this.#view.state.collabCalls.get(key);
    if (first === undefined) return undefined;
    const agent = this.#view.known(first.agent);
    return { id: agent.id, name: agent.spec.name ?? agent.id, status: first.status };
  }

  /** Carries out a call that acts at once on one agent. Rejects with what `act` raises. */
  carryOut(call: Call, act: () => void): Promise<CollabAgent> {
    const [id = ""] = call.agents;
    return this.record(call, () => {
      act();
      return { agents: [id], statuses: { [id]: this.#view.status(id) } };
    }).then(() => this.#view.describe(this.#view.known(id)));
  }

  /** Journals that a call begins and what it comes to. Rejects with what `act` raises, which is journaled too. */
  async record(
    { operation, key, agents, prompt }: Call,
    act: () => CallOutcome | Promise<CallOutcome>,
  ): Promise<void> {
    const { agent, turn } = this.#caller;
    const at = { agent, turn, call: key, operation };
    const said = prompt === undefined ? {} : { prompt: excerptOf(prompt) };
    this.#runtime.append({ type: "collab-began", ...at, agents, ...said });
    const end = (outcome: CallOutcome & Pick<CollabEnded, "error">) =>
      this.#runtime.append({ type: "collab-ended", ...at, timedOut: false, ...outcome });
    try {
      const outcome = act();
      // What is done at once is recorded in the same moment: a crash finds both or neither.
      end(outcome instanceof Promise ? await outcome : outcome);
    } catch (error) {
      // What ends a turn that waits is no error but why it ends.
      const told = error instanceof Error ? error : agentInterrupted({ agent });
      end({ agents, statuses: {}, error: toErrorReport(told) });
      throw error;
    }
  }
}

function excerptOf(text: string): string {
  return text.length > MAX_PROMPT_CHARS
    ? `${text.slice(0, MAX_PROMPT_CHARS - 1).toWellFormed()}…`
    : text;
}
