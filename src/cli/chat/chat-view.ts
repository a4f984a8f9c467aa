/**
 * Owns the terminal of a chat: what was said as lines that stay, and below them what goes on and what is about to be said.
 *
 * V1 What is shown as said is in the journal: what a person writes appears when the run has taken it.
 * V2 While an agent works, what is said to it waits here, in its order, until it is free.
 * V3 However this ends, the terminal is left as it was found.
 */

import type { Machine } from "../../app/machine/machine.ts";
import { withAttachedFiles, withResults } from "../../app/run/commands/attached-files.ts";
import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import { emptyRunState, type RunState } from "../../fold/state/run-state.ts";
import type { Timer } from "../../foundation/clock.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { createKeyParser } from "../attend/key-parser.ts";
import { createLiveActions, type LiveActions } from "../attend/live-actions.ts";
import { LiveTerminal } from "../attend/live-terminal.ts";
import { createRepaintTimer, type RepaintTimer } from "../attend/repaint-timer.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";
import type { Key } from "../view/live/key.ts";
import { createLiveStyle, type LiveStyle } from "../view/live/live-style.ts";
import type { ActivityLog } from "../view/live/turn-activity.ts";
import { type ChatEffect, type ChatInput, EMPTY_INPUT, pressChatKey } from "./chat-input.ts";
import { ChatLog } from "./chat-log.ts";
import { chatPicture, type WorkingAgent } from "./chat-picture.ts";

/** What a slash command can do in a chat. */
export interface ChatDesk {
  readonly run: WorkflowRun;
  readonly state: RunState;
  /** Tells the person something, in lines that stay. */
  tell(text: string): void;
  /** Says something to the agent, as if the person had written it. */
  say(text: string): Promise<void>;
  /** Gives the agent something with what is said next. */
  keep(result: { readonly label: string; readonly text: string }): void;
  /** Shows that something goes on beside the chat, until that is over. */
  during(label: string, work: Promise<unknown>): void;
  leave(): void;
}

/** What a chat works with. */
export interface ChatViewOptions {
  readonly run: WorkflowRun;
  readonly machine: Machine;
  readonly io: Io;
  readonly settings: Settings;
  readonly activity: ActivityLog;
  /** Who is spoken to unless a text names another. */
  readonly agent: string;
  /** Whether agents post what they say to a channel. */
  readonly isPosted: boolean;
  /** Carries out a line that begins with a slash. */
  readonly command: (line: string, desk: ChatDesk) => Promise<void>;
}

const ESCAPE_MS = 50;
const REFRESH_MS = 1000;

/** The view of a chat. */
export class ChatView {
  readonly #options: ChatViewOptions;
  readonly #terminal: LiveTerminal;
  readonly #style: LiveStyle;
  readonly #repaint: RepaintTimer;
  readonly #keys = createKeyParser();
  readonly #log: ChatLog;
  readonly #actions: LiveActions;
  readonly #endings: readonly (() => void)[];
  readonly #results: { readonly label: string; readonly text: string }[] = [];
  readonly #others = new Set<string>();
  readonly #desk: ChatDesk;
  #escapeTimer: Timer | undefined;
  #input: ChatInput = EMPTY_INPUT;
  #state: RunState;
  /** Agents that have been told something and have not begun with it. */
  readonly #told = new Set<string>();
  #isClosed = false;

  constructor(options: ChatViewOptions) {
    const { io, settings, run, machine, activity } = options;
    this.#options = options;
    this.#state = emptyRunState(run.id);
    this.#style = createLiveStyle(settings.glyphs, settings.paint);
    this.#repaint = createRepaintTimer(machine.clock, () => this.#paint());
    this.#terminal = new LiveTerminal({
      io,
      hasKeys: true,
      onKeys: (text) => this.#type(text),
      onChange: () => this.#repaint.request(),
    });
    const { isPosted } = options;
    this.#log = new ChatLog({
      style: this.#style,
      print: (line) => this.#terminal.print(line),
      isPosted,
    });
    this.#actions = createLiveActions({
      command: (command) => run.command(command),
      newKey: () => machine.newKey(),
      notify: (text) => this.#notify(text),
      giveBack: (_purpose, text) => this.#tell(`not sent: ${text}`),
    });
    this.#desk = this.#openDesk();
    this.#endings = [
      activity.onChange(() => this.#repaint.request()),
      io.onContinued(() => this.#comeBack()),
    ];
    this.#terminal.enter();
    this.#repaint.request();
  }

  /** Shows what was said before this process had the run. */
  recall(events: readonly JournalEvent[], state: RunState): void {
    this.#state = state;
    for (const event of events) this.#log.past(event, state, this.#columns);
    this.#repaint.request();
  }

  /** Shows one event. `state` is the run after it. */
  show(event: JournalEvent, state: RunState): void {
    this.#state = state;
    this.#options.activity.observe(event);
    this.#log.show(event, state, this.#columns);
    if (event.type === "turn-started") this.#told.delete(event.agent);
    this.#sayNext();
    this.#repaint.request();
  }

  /** Takes the picture away and gives the terminal back. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#repaint.close();
    this.#escapeTimer?.cancel();
    for (const end of this.#endings) end();
    for (const text of this.#input.queue) this.#tell(`not said: ${text}`);
    this.#input = EMPTY_INPUT;
    this.#terminal.leave();
  }

  /** Says something as soon as the agent is free. */
  submit(text: string): void {
    this.#submit(text).catch((error: unknown) => {
      const { message, code } = toErrorReport(error);
      this.#tell(`${message} [${code}]`);
    });
  }

  get #columns(): number {
    return Math.max(10, this.#terminal.columns - 1);
  }

  get #item(): InboxItem | undefined {
    return [...this.#state.inbox.values()].find(({ id }) => !this.#actions.sent.has(id));
  }

  get #working(): readonly WorkingAgent[] {
    const { activity } = this.#options;
    return [...this.#state.agents.values()].flatMap(({ id, turns, spec }) =>
      spec.shadow === undefined
        ? [...turns.keys()].map((turn) => ({ agent: id, activity: activity.of(id, turn) }))
        : [],
    );
  }

  #isBusy(agent: string): boolean {
    const known = findAgent(this.#state, agent);
    return this.#told.has(agent) || (known?.turns.size ?? 0) > 0;
  }

  #paint(): number | undefined {
    const { columns, rows } = this.#terminal;
    const working = this.#working;
    const screen = {
      ...{ state: this.#state, input: this.#input, addressee: this.#options.agent, working },
      ...{ item: this.#item, others: [...this.#others], size: { columns, rows } },
    };
    this.#terminal.paint(chatPicture(screen, this.#style));
    this.#terminal.setTitle(toPrintable(`chat ${this.#options.agent}`));
    return working.length > 0 ? REFRESH_MS : undefined;
  }

  #type(text: string): void {
    this.#escapeTimer?.cancel();
    this.#press(this.#keys.feed(text));
    if (!this.#keys.isPending) return;
    const { clock } = this.#options.machine;
    this.#escapeTimer = clock.startTimer(ESCAPE_MS, () => this.#press(this.#keys.flush()));
  }

  #press(keys: readonly Key[]): void {
    for (const key of keys) {
      const isWorking = this.#working.length > 0;
      const { input, effect } = pressChatKey(this.#input, key, { item: this.#item, isWorking });
      this.#input = input;
      if (effect !== undefined) this.#act(effect);
    }
    this.#repaint.request();
  }

  #act(effect: ChatEffect): void {
    const { run, io } = this.#options;
    switch (effect.kind) {
      case "submit":
        this.submit(effect.text);
        return;
      case "leave":
        this.#desk.leave();
        return;
      case "suspend":
        this.#terminal.leave();
        // Never rejects: it goes on when the shell lets the job go on.
        void io.stopJob().then(() => this.#comeBack());
        return;
      case "interrupt":
        for (const { agent } of this.#working)
          run
            .command({ kind: "interrupt", agent })
            .catch((error: unknown) => this.#notify(toErrorReport(error).message));
        return;
      case "decide":
        // Never rejects: what went wrong is told.
        void this.#actions.take({ ...effect, comment: "" });
        return;
    }
  }

  async #submit(text: string): Promise<void> {
    const item = this.#item;
    if (text.startsWith("/")) await this.#options.command(text, this.#desk);
    else if (item?.kind === "question") await this.#actions.take({ kind: "answer", item, text });
    else if (this.#isBusy(this.#addressed(text).agent))
      this.#input = { ...this.#input, queue: [...this.#input.queue, text] };
    else await this.#say(text);
    this.#repaint.request();
  }

  /** `@id text` is for another agent of the team. */
  #addressed(text: string): { readonly agent: string; readonly words: string } {
    const [, name = "", words = ""] = /^@([\w-]+)[:,]?\s+([\s\S]+)$/.exec(text) ?? [];
    const named = name === "" ? undefined : findAgent(this.#state, name)?.id;
    return named === undefined
      ? { agent: this.#options.agent, words: text }
      : { agent: named, words };
  }

  async #say(text: string): Promise<void> {
    const { run, machine } = this.#options;
    const { agent, words } = this.#addressed(text);
    this.#told.add(agent);
    const results = this.#results.splice(0);
    try {
      const whole = withResults(await withAttachedFiles(machine, words), results);
      await run.command({ kind: "send", text: whole, to: [agent], key: machine.newKey() });
    } catch (error) {
      this.#told.delete(agent);
      this.#results.unshift(...results);
      this.#tell(`not said: ${text}`);
      throw error;
    }
  }

  #sayNext(): void {
    const [next, ...queue] = this.#input.queue;
    if (next === undefined || this.#isBusy(this.#addressed(next).agent)) return;
    this.#input = { ...this.#input, queue };
    this.submit(next);
  }

  #openDesk(): ChatDesk {
    const { run } = this.#options;
    const state = () => this.#state;
    return {
      run,
      get state() {
        return state();
      },
      tell: (text) => this.#tell(text),
      say: (text) => this.#submit(text),
      keep: (result) => void this.#results.push(result),
      during: (label, work) => {
        this.#others.add(label);
        const end = () => {
          this.#others.delete(label);
          this.#repaint.request();
        };
        work.then(end, end);
        this.#repaint.request();
      },
      leave: () => {
        run.suspend(0).catch((error: unknown) => this.#notify(toErrorReport(error).message));
      },
    };
  }

  #tell(text: string): void {
    for (const line of text.split("\n"))
      this.#terminal.print(this.#style.paint(toPrintable(line), "aside"));
    this.#repaint.request();
  }

  #notify(notice: string): void {
    this.#input = { ...this.#input, notice };
    this.#repaint.request();
  }

  #comeBack(): void {
    if (this.#isClosed) return;
    this.#terminal.comeBack();
    this.#repaint.now();
  }
}
