import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Machine } from "../../app/machine/machine.ts";
import { withAttachedFiles, withResults } from "../../app/run/commands/attached-files.ts";
import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import type { TurnTerms } from "../../contracts/turn-terms.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import type { RunState } from "../../fold/state/run-state.ts";
import { present } from "../../foundation/present.ts";

/** Something that the agent is given as data. */
export interface KeptResult {
  readonly label: string;
  readonly text: string;
}

/** What a slash command can do in a chat. */
export interface ChatDesk {
  readonly run: WorkflowRun;
  readonly state: RunState;
  /** Tells the person something, in lines that stay. */
  tell(text: string): void;
  /** Whether whom a text is for has something else to do. */
  isBusy(text: string): boolean;
  /** Says something to the agent, as if the person had written it; `terms`: how its turn works. */
  say(text: string, terms?: TurnTerms): Promise<void>;
  /** Gives the agent something with what is said next. */
  keep(result: KeptResult): void;
  /** Shows that something goes on beside the chat, until that is over. */
  during(label: string, work: Promise<unknown>): void;
  /** `next`: the chat that this terminal goes on with. */
  leave(next?: string): void;
}

const ADDRESS = /^@([\w-]+)[:,]?\s+([\s\S]+)$/;

/** Says to agents what a person writes, with the files that it names and what was kept for them. */
export class ChatSpeech {
  readonly #machine: Machine;
  readonly #run: Pick<WorkflowRun, "command">;
  readonly #agent: string;
  readonly #results: KeptResult[] = [];
  /** Agents that have been told something and have not begun with it. */
  readonly #told = new Set<string>();

  /** `agent` is who is spoken to unless a text names another. */
  constructor(machine: Machine, run: Pick<WorkflowRun, "command">, agent: string) {
    this.#machine = machine;
    this.#run = run;
    this.#agent = agent;
  }

  /** Whether whom a text is for has something else to do. */
  isBusy(text: string, state: RunState): boolean {
    const { agent } = this.#addressed(text, state);
    return this.#told.has(agent) || (findAgent(state, agent)?.turns.size ?? 0) > 0;
  }

  /** An agent has begun with what it was told. */
  begun(agent: string): void {
    this.#told.delete(agent);
  }

  /** Gives the agent something with what is said next. */
  keep(result: KeptResult): void {
    this.#results.push(result);
  }

  /** What to say where a text is for somebody who does not take part; files of the project are nobody. */
  strangerIn(text: string, state: RunState): string | undefined {
    const [, name] = ADDRESS.exec(text) ?? [];
    if (name === undefined || findAgent(state, name) !== undefined) return undefined;
    const isFile = existsSync(resolve(this.#machine.project.cwd, name));
    return isFile ? undefined : `nobody is called @${name}, so @${this.#agent} hears it`;
  }

  /** Resolves when the run has taken it. Raises what files and messages raise. */
  async say(text: string, state: RunState, terms?: TurnTerms): Promise<void> {
    const { agent, words } = this.#addressed(text, state);
    this.#told.add(agent);
    const results = this.#results.splice(0);
    try {
      const whole = withResults(await withAttachedFiles(this.#machine, words), results);
      const key = this.#machine.newKey();
      const said = { text: whole, to: [agent], key, ...present({ terms }) };
      await this.#run.command({ kind: "send", ...said });
    } catch (error) {
      this.#told.delete(agent);
      this.#results.unshift(...results);
      throw error;
    }
  }

  /** `@id text` is for another agent of the team. */
  #addressed(text: string, state: RunState): { readonly agent: string; readonly words: string } {
    const [, name = "", words = ""] = ADDRESS.exec(text) ?? [];
    const named = name === "" ? undefined : findAgent(state, name)?.id;
    return named === undefined ? { agent: this.#agent, words: text } : { agent: named, words };
  }
}
