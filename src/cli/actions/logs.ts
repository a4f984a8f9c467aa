import type { Machine } from "../../app/machine/machine.ts";
import { agentLog } from "../../app/runs/agent-log.ts";
import { readTranscript } from "../../app/runs/agent-transcript.ts";
import { resolveTarget } from "../../app/runs/resolve-target.ts";
import { walkEvents } from "../../app/runs/run-events.ts";
import type { JournalEvent } from "../../contracts/events/event.ts";
import { fold, foldAll } from "../../fold/fold.ts";
import { findAgent } from "../../fold/state/agent-lookup.ts";
import { emptyRunState, NO_MESSAGES, type RunState } from "../../fold/state/run-state.ts";
import { didYouMean } from "../../foundation/near-names.ts";
import { toPrintable } from "../../foundation/printable.ts";
import type { ActionOf, Invocation, OptionsOf } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import { openMachine } from "../command/open-machine.ts";
import { targetOperand } from "../command/target-operand.ts";
import type { logsCommand } from "../commands/logs.ts";
import { concerns } from "../runs/concerns.ts";
import { followToEnd } from "../runs/follow-to-end.ts";
import { createLogSelection, type LogSelection } from "../runs/log-selection.ts";
import { findSteps } from "../runs/show-step.ts";
import { copyLog, followLog } from "../terminal/log-file.ts";
import { paintSign } from "../terminal/paint-sign.ts";
import { loadFit, writeLines } from "../terminal/write-lines.ts";
import { failureSummary } from "../view/final-summary.ts";
import { createJsonView } from "../view/json-view.ts";
import { createPlainView, plainStyle } from "../view/plain-view.ts";

type LogsOptions = OptionsOf<typeof logsCommand>;

/** `troupe logs`: the past of a run or of one agent's program, and with `-f` its future until the run is over. */
export const logsAction: ActionOf<typeof logsCommand> = async (invocation) => {
  const given = invocation.options;
  const machine = await openMachine(invocation);
  const { run, ...target } = resolveTarget(machine, targetOperand(invocation.args));
  const options = { ...target, ...given };
  const selection = createLogSelection(options, {
    nowMs: machine.clock.now(),
    write: await createWriter(options, invocation),
  });
  if (options.raw) {
    const state = foldAll(run, walkEvents(machine, run), NO_MESSAGES);
    const agent = agentOfLog(options, state);
    const log = { agent, state, isFollowed: options.follow, selection };
    await showAgentLog(machine, log, invocation);
    return EXIT.completed;
  }
  if (options.transcript) {
    const state = foldAll(run, walkEvents(machine, run), NO_MESSAGES);
    const agent = agentOfLog(options, state);
    showTranscript(machine, { agent, state, isFollowed: false, selection }, invocation);
    return EXIT.completed;
  }
  const show = await createView(run, { ...options, write: selection.write }, invocation);
  const state = emptyRunState(run, NO_MESSAGES);
  let isAnyShown = false;
  const take = (event: JournalEvent) => {
    // Asked before the event is folded: a turn that it ends is still known.
    const isWanted = concerns(event, options, state) && selection.wants(event);
    fold(state, event);
    if (!isWanted) return;
    isAnyShown = true;
    show(event, state);
  };
  for (const event of walkEvents(machine, run)) take(event);
  selection.endPast();
  if (options.follow) await followToEnd(machine, { state, take }, invocation);
  if (!isAnyShown) assertKnown(given, state);
  const isPart = options.agent !== undefined || options.step !== undefined;
  const isWhole = !isPart && options.grep === undefined && options.since === undefined;
  if (isWhole && !options.json && !options.jsonAll) await tellFailure(state, invocation);
  return EXIT.completed;
};

/** Whoever reads to the end of a failed run finds there why it failed. */
function tellFailure(state: RunState, invocation: Invocation): Promise<void> {
  const { settings } = invocation;
  return writeLines(
    invocation,
    failureSummary(state, settings).map((line) => paintSign(line, settings)),
  );
}

/** The agent whose own log is wanted. Raises USAGE_INVALID. */
function agentOfLog(options: LogsOptions, state: RunState): string {
  const { agent, transcript, raw } = options;
  if (transcript && raw)
    throw usageInvalid({
      problem: "--raw shows what a program printed, --transcript what its agent was told and said",
      hint: "leave out one of them",
    });
  if (transcript) assertTranscriptOptions(options);
  else assertRawOptions(options);
  assertKnown(options, state);
  const known = agent === undefined ? undefined : findAgent(state, agent);
  if (known !== undefined) return known.id;
  const ids = [...state.agents.keys()].slice(0, 8).join(", ");
  throw usageInvalid({
    problem: transcript ? "--transcript shows one agent" : "--raw shows the log of one agent",
    hint: ids === "" ? "no agent has joined this run" : `say which one: --agent ${ids}`,
  });
}

/** Raises USAGE_INVALID. */
function assertRawOptions({ step, json, jsonAll, since, failed, tail, follow }: LogsOptions): void {
  if (since !== undefined || failed || (tail !== undefined && follow))
    throw usageInvalid({
      problem: "--raw shows what a program printed: nothing in it has a time or has failed",
      hint: "leave out --since and --failed; --tail goes without --follow",
    });
  if (step !== undefined || json || jsonAll)
    throw usageInvalid({
      problem: "--raw shows what a program printed, which has no steps and is no JSON",
      hint: "leave out --step and --json, or --raw",
    });
}

/** Raises USAGE_INVALID. */
function assertTranscriptOptions({ step, jsonAll, since, failed, follow }: LogsOptions): void {
  if (since === undefined && step === undefined && !failed && !follow && !jsonAll) return;
  throw usageInvalid({
    problem: "--transcript shows all that an agent was told and has said so far",
    hint: "leave out --since, --step, --failed, --follow and --json=all; --tail and --grep choose lines",
  });
}

/** Shows the transcript of an agent. */
function showTranscript(
  machine: Machine,
  { agent, state, selection }: AgentLog,
  { io, settings }: Pick<Invocation, "io" | "settings">,
): void {
  const { lines } = readTranscript(machine, state.run.id, agent);
  for (const { json } of lines) selection.write(json);
  selection.endPast();
  if (lines.length === 0 && !settings.isQuiet)
    io.stderr.write(
      `${agent} has no transcript: it is no model and no subagent, or has not begun\n`,
    );
}

/** Raises RUN_STEP_NOT_FOUND, USAGE_INVALID when what was asked for is nothing of the run: silence would hide it. */
function assertKnown({ step, agent }: LogsOptions, state: RunState): void {
  if (step !== undefined) findSteps(state, step);
  if (agent === undefined || findAgent(state, agent) !== undefined) return;
  const hint = didYouMean(agent, state.agents.keys(), "agents") ?? "no agent of it has joined yet";
  throw usageInvalid({ problem: `${state.run.id} has no agent "${agent}"`, hint });
}

/** What writes a line to standard output; in a terminal text is made to fit. */
async function createWriter(
  { json, jsonAll, transcript }: LogsOptions,
  { io, settings }: Invocation,
): Promise<(line: string) => void> {
  const fitted = json || jsonAll || transcript ? undefined : await loadFit(settings);
  return (line) => {
    for (const each of fitted?.(line) ?? [line]) io.stdout.write(`${each}\n`);
  };
}

async function createView(
  run: string,
  { write, ...options }: LogsOptions & { readonly write: (line: string) => void },
  { settings }: Invocation,
): Promise<(event: JournalEvent, state: RunState) => void> {
  if (options.json || options.jsonAll)
    return createJsonView({ write, run, showsOperations: options.jsonAll }).show;
  // Lines are chosen as a whole, then made to fit.
  const { fitLine: _, ...style } = await plainStyle(settings);
  return createPlainView({ ...style, write }).show;
}

/** An agent, and the run in which it takes part, as far as it was read. */
interface AgentOfRun {
  readonly agent: string;
  readonly state: RunState;
}

interface AgentLog extends AgentOfRun {
  readonly isFollowed: boolean;
  readonly selection: LogSelection;
}

/** Shows all that the program of an agent printed, and with `isFollowed` what it adds until the run is over. */
async function showAgentLog(
  machine: Machine,
  { agent, state, isFollowed, selection }: AgentLog,
  invocation: Pick<Invocation, "io" | "settings">,
): Promise<void> {
  const { io, settings } = invocation;
  const file = agentLog(machine, state.run.id, agent);
  let isAnyShown = false;
  const write = (line: string) => {
    isAnyShown = true;
    selection.write(toPrintable(line));
  };
  if (isFollowed) {
    const over = new AbortController();
    const following = followLog(file, 0, { write, signal: over.signal });
    const run = { state, take: (event: Parameters<typeof fold>[1]) => void fold(state, event) };
    await followToEnd(machine, run, invocation).finally(() => over.abort());
    await following;
  } else copyLog(file, write);
  selection.endPast();
  if (!isAnyShown && !settings.isQuiet)
    io.stderr.write(`the program of ${agent} has printed nothing\n`);
}
