/**
 * Owns the terminal of a chat: what was said as lines that stay, and below them what goes on and what is about to be said.
 *
 * V1 What is shown as said is in the journal: what a person writes appears when the run has taken it.
 * V2 While an agent works, what is said to it waits here, in its order, until it is free.
 * V3 However this ends, the terminal is left as it was found.
 */

import type { Machine } from "../../app/machine/machine.ts";
import type { WorkflowRun } from "../../app/run/owner/workflow-run.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { TurnTerms } from "../../contracts/turn-terms.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../fold/state/run-state.ts";
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
import { chatPicture, type WorkingAgent, workingAgents } from "./chat-picture.ts";
import { type ChatDesk, ChatSpeech } from "./chat-speech.ts";

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
  /** Carries out a line that begins with a slash; `later`: it waits until the agent is free. */
  readonly command: (line: string, desk: ChatDesk) => Promise<"done" | "later">;
  /** Before the terminal goes on with another chat. */
  readonly onLeave: (next: string) => void;
}

const ESCAPE_MS = 50;
// Within this time a second escape forgets what waits, which must not be said meanwhile.
const TWICE_MS = 700;
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
  readonly #speech: ChatSpeech;
  readonly #others = new Set<string>();
  readonly #desk: ChatDesk;
  #escapeTimer: Timer | undefined;
  /** Runs while what waits is not said, though the agent is free. */
  #holdTimer: Timer | undefined;
  #input: ChatInput = EMPTY_INPUT;
  #state: RunState;
  #isClosed = false;

  constructor(options: ChatViewOptions) {
    const { io, settings, run, machine, activity } = options;
    this.#options = options;
    this.#state = emptyRunState(run.id, NO_MESSAGES);
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
    this.#speech = new ChatSpeech(machine, run, options.agent);
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
    if (event.type === "turn-started") this.#speech.begun(event.agent);
    this.#sayNext();
    this.#repaint.request();
  }

  /** Takes the picture away and gives the terminal back. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#repaint.close();
    this.#escapeTimer?.cancel();
    this.#holdTimer?.cancel();
    for (const end of this.#endings) end();
    for (const text of this.#input.queue) this.#tell(`not said: ${text}`);
    this.#input = EMPTY_INPUT;
    this.#terminal.leave();
  }

  /** Says something as soon as the agent is free. */
  submit(text: string): void {
    this.#submit(text).catch((error: unknown) => {
      const { message, code, hint } = toErrorReport(error);
      this.#tell(`${message} [${code}]${hint === undefined ? "" : `\n= ${hint}`}`);
    });
  }

  get #columns(): number {
    return Math.max(10, this.#terminal.columns - 1);
  }

  get #item(): InboxItem | undefined {
    return [...this.#state.inbox.values()].find(({ id }) => !this.#actions.sent.has(id));
  }

  get #working(): readonly WorkingAgent[] {
    return workingAgents(this.#state, this.#options.activity);
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
        this.#hold();
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
    if (text.startsWith("/")) {
      const became = await this.#options.command(text, this.#desk);
      if (became === "later") this.#queue(text);
    } else if (item?.kind === "question") await this.#actions.take({ kind: "answer", item, text });
    else if (this.#speech.isBusy(text, this.#state)) this.#queue(text);
    else await this.#say(text);
    this.#repaint.request();
  }

  #queue(text: string): void {
    this.#input = { ...this.#input, queue: [...this.#input.queue, text] };
  }

  async #say(text: string, terms?: TurnTerms): Promise<void> {
    const stranger = terms === undefined ? this.#speech.strangerIn(text, this.#state) : undefined;
    if (stranger !== undefined) this.#tell(stranger);
    try {
      await this.#speech.say(text, this.#state, terms);
    } catch (error) {
      this.#tell(`not said: ${text}`);
      throw error;
    }
  }

  #hold(): void {
    this.#holdTimer?.cancel();
    this.#holdTimer = this.#options.machine.clock.startTimer(TWICE_MS, () => {
      this.#holdTimer = undefined;
      this.#sayNext();
    });
  }

  #sayNext(): void {
    const [next, ...queue] = this.#input.queue;
    if (
      this.#holdTimer !== undefined ||
      next === undefined ||
      this.#speech.isBusy(next, this.#state)
    )
      return;
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
      isBusy: (text) => this.#speech.isBusy(text, this.#state),
      say: (text, terms) => (terms === undefined ? this.#submit(text) : this.#say(text, terms)),
      keep: (result) => this.#speech.keep(result),
      during: (label, work) => {
        this.#others.add(label);
        const end = () => {
          this.#others.delete(label);
          this.#repaint.request();
        };
        work.then(end, end);
        this.#repaint.request();
      },
      leave: (next) => {
        if (next !== undefined) this.#options.onLeave(next);
        run.suspend(0).catch((error: unknown) => this.#notify(toErrorReport(error).message));
      },
    };
  }

  #tell(text: string): void {
    this.#log.tell(text, this.#columns);
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
