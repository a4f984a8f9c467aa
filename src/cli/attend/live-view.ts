/**
 * Owns the terminal while a run goes on: what has happened as lines that stay, and below them a picture of
 * what goes on, moved by keys.
 *
 * L1 The picture is made of the events that were shown, so that it never knows more than the lines above it.
 * L2 A text that a person types goes to the item or agent for which it was begun, or to nobody.
 * L3 However this ends, the terminal is left as it was found.
 */
import type { AskedBelow } from "../../app/runs/families/asked-below.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import type { RunCommand } from "../../contracts/events/run-events.ts";
import type { InboxItem } from "../../fold/state/inbox-state.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../fold/state/run-state.ts";
import type { Clock, Timer } from "../../foundation/clock.ts";
import { toErrorReport } from "../../foundation/errors.ts";
import type { Json } from "../../foundation/json.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { Io } from "../terminal/io.ts";
import type { Settings } from "../terminal/settings.ts";
import { followRun, untilNextChangeMs } from "../view/live/follow-run.ts";
import { renderFrame } from "../view/live/frame.ts";
import type { Key } from "../view/live/key.ts";
import { isAsked, type LiveModel, type PlannedRow, titleOf } from "../view/live/live-model.ts";
import type { PlacedRow } from "../view/live/live-row.ts";
import { createScrollback, liveRows, type Scrollback } from "../view/live/live-rows.ts";
import { createLiveStyle, type LiveStyle } from "../view/live/live-style.ts";
import { type LiveEffect, pressKey } from "../view/live/press-key.ts";
import { draftText } from "../view/live/text-draft.ts";
import type { ActivityLog } from "../view/live/turn-activity.ts";
import {
  INITIAL_VIEW,
  type Purpose,
  type ViewState,
  withDraft,
  withNotice,
} from "../view/live/view-state.ts";
import { createKeyParser } from "./key-parser.ts";
import { createLiveActions, type LiveActions } from "./live-actions.ts";
import { LiveTerminal } from "./live-terminal.ts";
import { createRepaintTimer, type RepaintTimer } from "./repaint-timer.ts";

/** What a live view works with. */
export interface LiveViewOptions {
  readonly run: string;
  readonly io: Io;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly activity: ActivityLog;
  /** Whether a person at the keys may decide; else no key is read and what is asked waits in the inbox. */
  readonly hasKeys: boolean;
  /** Whether the terminal's bell says that something new needs a person. */
  readonly rings: boolean;
  /** The steps of the definition; called once, when the run has begun. */
  readonly plan: (state: RunState) => Promise<readonly PlannedRow[]>;
  /** Lets the person edit what an approval of a run shows, in a terminal that is free; undefined when nothing changed. */
  readonly edit: (item: InboxItem, state: RunState) => Promise<Json | undefined>;
  /** Carries a command out, in the run below that asks for it if one does. */
  readonly command: (command: RunCommand, below?: string) => Promise<unknown>;
  /** What the runs below ask. */
  readonly below: (state: RunState) => ReadonlyMap<string, AskedBelow>;
  readonly newKey: () => string;
  /** Called when the person goes away, for a run that another process carries out. Defaults to a run of this one. */
  readonly onLeave?: () => void;
  /** What becomes of a run of this process when the person wants it to go on without him. */
  readonly detaching: Detaching;
}

/** Lets go of a run for the background, or says why it stays. */
export type Detaching =
  | { readonly status: "possible"; letGo(): void }
  | { readonly status: "refused"; readonly reason: string };

// A lone escape character is the escape key only if nothing follows it at once.
const ESCAPE_MS = 50;

/** The live view of one run. */
export class LiveView {
  readonly #options: LiveViewOptions;
  readonly #terminal: LiveTerminal;
  readonly #style: LiveStyle;
  readonly #repaint: RepaintTimer;
  readonly #keys = createKeyParser();
  readonly #actions: LiveActions;
  readonly #scrollback: Scrollback;
  readonly #endings: readonly (() => void)[];
  #escapeTimer: Timer | undefined;
  #view: ViewState;
  #state: RunState;
  #plan: readonly PlannedRow[] = [];
  #isPlanned = false;
  #below: ReadonlyMap<string, AskedBelow> = new Map();
  readonly #rung = new Set<string>();
  #isAway = false;
  #isClosed = false;

  constructor(options: LiveViewOptions) {
    const { io, settings, clock, activity, hasKeys } = options;
    this.#options = options;
    const { detaching } = options;
    const staysBecause = detaching.status === "refused" ? detaching.reason : undefined;
    this.#view = { ...INITIAL_VIEW, isGuest: options.onLeave !== undefined, staysBecause };
    this.#state = emptyRunState(options.run, NO_MESSAGES);
    this.#style = createLiveStyle(settings.glyphs, settings.paint);
    this.#repaint = createRepaintTimer(clock, () => this.#paint());
    this.#actions = createLiveActions({
      command: (command, item) =>
        options.command(command, this.#below.get(item?.id ?? "")?.state.run.id),
      newKey: options.newKey,
      notify: (text) => this.#notify(text),
      giveBack: (purpose, text) => this.#giveBack(purpose, text),
    });
    this.#terminal = new LiveTerminal({
      io,
      hasKeys,
      onKeys: (text) => this.#type(text),
      onChange: () => this.#repaint.request(),
    });
    this.#scrollback = createScrollback(this.#style, (line) => this.#terminal.print(line));
    this.#endings = [
      activity.onChange(() => this.#repaint.request()),
      io.onContinued(() => this.#comeBack()),
    ];
    this.#terminal.enter();
  }

  /** Shows one event. `state` is the run after it. */
  show(event: JournalEvent, state: RunState): void {
    this.#state = state;
    this.#below = this.#options.below(state);
    if (!this.#isPlanned) void this.#showPlan(state);
    this.#options.activity.observe(event);
    this.#scrollback.show(event, state, this.#terminal.columns);
    this.#repaint.request();
  }

  /** What cannot be planned is shown as it comes. */
  async #showPlan(state: RunState): Promise<void> {
    this.#isPlanned = true;
    try {
      this.#plan = await this.#options.plan(state);
      this.#repaint.request();
    } catch (error) {
      this.#notify(toErrorReport(error).message);
    }
  }

  /** Takes the picture away and gives the terminal back. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#repaint.close();
    this.#escapeTimer?.cancel();
    for (const end of this.#endings) end();
    this.#showUnsent(this.#view);
    this.#view = { ...this.#view, editor: undefined };
    this.#terminal.leave();
  }

  /** Returns after how many ms the picture changes by itself. */
  #paint(): number | undefined {
    const { settings, hasKeys } = this.#options;
    const { columns, rows: height } = this.#terminal;
    const model = this.#model();
    const rows = this.#rows(model);
    // Without keys nothing can be selected: what is asked stands above, with the command that answers it.
    if (hasKeys) this.#follow(model, rows);
    const frame = { columns, rows: height, style: this.#style, hasKeys };
    this.#terminal.paint(renderFrame({ model, view: this.#view, rows }, frame));
    this.#terminal.setTitle(toPrintable(titleOf(model, settings.glyphs.attention)));
    this.#ringForNews();
    return untilNextChangeMs(model, this.#view, rows);
  }

  #ringForNews(): void {
    const news = [...this.#state.inbox.keys(), ...this.#below.keys()].filter(
      (id) => !this.#rung.has(id),
    );
    if (this.#options.rings && news.length > 0) this.#terminal.ring();
    for (const id of news) this.#rung.add(id);
  }

  /** Lets the view follow the run. Returns whether what keys were about is gone. */
  #follow(model: LiveModel, rows: readonly PlacedRow[]): boolean {
    const before = this.#view;
    this.#view = followRun(before, model, rows);
    if (this.#view.editor === undefined) this.#showUnsent(before);
    return before.selection.status === "on" && this.#view.selection.status === "lost";
  }

  /** A text that can no longer be sent is not lost. */
  #showUnsent({ editor }: ViewState): void {
    const text = editor === undefined ? "" : draftText(editor.draft).trim();
    if (text !== "") this.#terminal.print(`not sent: ${toPrintable(text)}`);
  }

  #model(): LiveModel {
    const { activity, clock } = this.#options;
    const plan = this.#plan;
    const [state, below, { sent }] = [this.#state, this.#below, this.#actions];
    return { state, below, plan, activity, nowMs: clock.now(), sent };
  }

  #rows(model: LiveModel): readonly PlacedRow[] {
    return liveRows(model, { ...this.#style, layout: this.#view.layout });
  }

  #type(text: string): void {
    this.#escapeTimer?.cancel();
    this.#press(this.#keys.feed(text));
    if (!this.#keys.isPending) return;
    const { clock } = this.#options;
    this.#escapeTimer = clock.startTimer(ESCAPE_MS, () => this.#press(this.#keys.flush()));
  }

  #press(keys: readonly Key[]): void {
    for (const key of keys) {
      const model = this.#model();
      const rows = this.#rows(model);
      // A key that was meant for what has just gone means nothing.
      if (this.#follow(model, rows) && !isInterrupt(key)) continue;
      const { view, effect } = pressKey(this.#view, key, { rows, nowMs: model.nowMs });
      this.#view = view;
      // Who is asked says what went wrong; what is left would be a fault of the view, and ends nothing.
      if (effect !== undefined) this.#act(effect).catch(() => {});
    }
    this.#repaint.request();
  }

  async #act(effect: LiveEffect): Promise<void> {
    const { io } = this.#options;
    if (effect.kind === "interrupt") io.raise("SIGINT");
    else if (effect.kind === "leave") this.#options.onLeave?.();
    else if (effect.kind === "detach") this.#detach();
    else if (effect.kind === "suspend") await this.#away(() => io.stopJob());
    else if (effect.kind === "edit") await this.#edit(effect.item);
    else await this.#actions.take(effect);
    this.#repaint.request();
  }

  #detach(): void {
    const { detaching } = this.#options;
    if (detaching.status === "possible") detaching.letGo();
  }

  async #edit(item: InboxItem): Promise<void> {
    try {
      const asking = this.#below.get(item.id)?.state ?? this.#state;
      const edited = await this.#away(() => this.#options.edit(item, asking));
      if (edited === undefined) return;
      await this.#actions.take({ kind: "decide", item, verdict: "yes", comment: "", edited });
    } catch (error) {
      const { message, code } = toErrorReport(error);
      this.#notify(`${message} [${code}]`);
    }
  }

  /** Gives the terminal away for a while. */
  async #away<Result>(act: () => Promise<Result>): Promise<Result> {
    this.#isAway = true;
    this.#terminal.leave();
    try {
      return await act();
    } finally {
      this.#isAway = false;
      this.#comeBack();
    }
  }

  #comeBack(): void {
    if (this.#isAway || this.#isClosed) return;
    this.#terminal.comeBack();
    this.#repaint.now();
  }

  #notify(text: string): void {
    this.#view = withNotice(this.#view, text, this.#options.clock.now());
  }

  #giveBack(purpose: Purpose, text: string): void {
    const isWanted = purpose.kind === "message" || isAsked(this.#model(), purpose.item.id);
    if (isWanted && this.#view.editor === undefined)
      this.#view = withDraft(this.#view, purpose, text);
    else this.#terminal.print(`not sent: ${toPrintable(text)}`);
  }
}

function isInterrupt(key: Key): boolean {
  return key.kind === "named" && key.name === "interrupt";
}
