import type { AgentSpec } from "../../contracts/agent.ts";
import type { PatternDefinition } from "../../contracts/definition.ts";
import { hasOneLanguage } from "../../contracts/definition-format.ts";
import type { Context } from "../../contracts/ports/context.ts";
import type { PatternAdvance } from "../../contracts/ports/pattern.ts";
import type { ProgramResult } from "../../contracts/ports/program.ts";
import { elapsedMs, formatDuration } from "../../foundation/duration.ts";
import { type ErrorReport, TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { type Json, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import { stepTimedOut } from "../errors.ts";
import { channelNameOf } from "../primitives/channel-name.ts";
import { graceOf, SeriesClock } from "../primitives/series-clock.ts";
import { crewOf } from "../primitives/shadows/crew.ts";
import { followShadows } from "../primitives/shadows/last-words.ts";
import { spawnTeam } from "../primitives/team.ts";
import { commandEndOf, readCommandEnd, runWithFailure } from "../step/step-command.ts";
import { concludeIteration } from "./conclude-iteration.ts";
import type { FailedCheck } from "./iteration-prompt.ts";
import { type IterationRecord, type SeriesStop, seriesResult } from "./iteration-record.ts";
import { type IterationEnd, runIteration, type Series } from "./run-iteration.ts";
import { SeriesGit } from "./series-git.ts";
import { type SeriesSettings, seriesSettings } from "./series-settings.ts";

/** Failed iterations in a row that end a series where nothing else stops it. */
const MOST_FAILURES_IN_A_ROW = 5;
const UNTIL_TIMEOUT_MS = 600_000;
const QUIET = "dont-ask";

/** Carries out a series of iterations, each by a fresh agent that is told what went before. */
export async function runSeries(
  context: Context,
  written: PatternDefinition,
): Promise<ProgramResult> {
  const definition = { ...written, agents: freshAgents(written) };
  const settings = seriesSettings(definition);
  const channel = channelNameOf(definition.channel, context.run.id);
  const shadows = followShadows(context, definition);
  const isPlaced = ({ id, isolation }: AgentSpec) =>
    isolation === "worktree" && id === settings.agent.id;
  const team = await spawnTeam(context, { definition, channel, isPlaced });
  const cwd = team.cwd(settings.agent.id);
  const plan = await readPlan(context, settings, cwd);
  const git = new SeriesGit(settings, cwd);
  const run = new SeriesRun(context, { definition, settings, team, git, plan });
  const result = await run.toItsEnd();
  await shadows.lastWords();
  return result;
}

/** Agents without memory of earlier turns, also after one that was cut off. Who sums up asks nobody for anything. */
export function freshAgents({ agents }: PatternDefinition): PatternDefinition["agents"] {
  const [, second] = crewOf(agents);
  return agents.map((agent): AgentSpec => {
    if (agent.shadow !== undefined) return agent;
    const onCrash = agent.onCrash === "fail" ? "fail" : "restart";
    const mode = agent.id === second?.id ? { permissionMode: agent.permissionMode ?? QUIET } : {};
    return { ...agent, session: "fresh", onCrash, ...mode };
  });
}

/** A word without any space or line is the path of a file. */
async function readPlan(
  context: Context,
  { plan }: SeriesSettings,
  cwd: string,
): Promise<string | undefined> {
  if (plan === undefined || /\s/.test(plan)) return plan?.trim();
  return context.step("plan", ({ host }) => host.workspace(cwd).readText(plan));
}

/** A series that is under way. */
class SeriesRun {
  readonly #context: Context;
  readonly #series: Series;
  readonly #clock: SeriesClock;
  readonly #advances: PatternAdvance[] = [];
  readonly #records: IterationRecord[] = [];
  readonly #startedAt: number;
  #output: string | undefined;
  #error: ErrorReport | undefined;
  #isTakenOver = false;
  #failuresInARow = 0;
  #check: FailedCheck | undefined;

  constructor(context: Context, series: Series) {
    this.#context = context;
    this.#series = series;
    this.#startedAt = context.now();
    this.#clock = new SeriesClock(context, series.settings.durationMs);
  }

  async toItsEnd(): Promise<ProgramResult> {
    const reason = await this.#iterate();
    await this.#clock.stop();
    if (reason === undefined) return this.#refused();
    this.#advance("series-over", { reason });
    const { metadata, succeeded, all } = this.#counted();
    const isDone = succeeded > 0 || reason === "until";
    const text = `${succeeded} of ${all} iterations succeeded (${reason})`;
    if (!isDone)
      return { outcome: "failed", reason: text, metadata, ...present({ error: this.#error }) };
    return { outcome: "completed", reason: text, metadata, output: this.#output ?? "" };
  }

  /** Why it is over; undefined when its first iteration could not begin. */
  async #iterate(): Promise<SeriesStop | undefined> {
    for (let iteration = 0; ; iteration += 1) {
      const bound = this.#boundBefore(iteration);
      if (bound !== undefined) return bound;
      this.#advance("iteration-started", { iteration });
      const end = await this.#run(iteration);
      if (end.isRefused && !this.#series.git.hasBegun) {
        this.#error = end.error;
        return undefined;
      }
      this.#take(end);
      if (await this.#isReached(iteration)) return "until";
      if (!this.#isStopped && this.#failuresInARow >= MOST_FAILURES_IN_A_ROW) return "failing";
    }
  }

  /**
   * True if the run stops at failed iterations and can be resumed. A series inside a step ends instead: its file says
   * what the failure of the step means. So does a series of an earlier version, whose journal says how it ended.
   */
  get #isStopped(): boolean {
    return this.#context.run.isBraked && this.#series.definition.within === undefined;
  }

  #boundBefore(iteration: number): SeriesStop | undefined {
    const { count, cap } = this.#series.settings;
    if (count !== undefined && iteration >= count) return "count";
    if (iteration >= cap) return "cap";
    return this.#clock.isOver ? "duration" : undefined;
  }

  async #run(iteration: number): Promise<IterationEnd> {
    const { settings } = this.#series;
    const bound = boundText(settings);
    const earlier = [...this.#records];
    const check = present({ check: this.#check });
    const call = { iteration, bound, earlier, standsAt: this.#standsAt(), ...check };
    let isCut = false;
    const scope = this.#context.scope(`iteration-${iteration}`, (branch) =>
      runIteration(branch, this.#series, call),
    );
    this.#clock.watch(() => {
      isCut = true;
      scope.cancel("its time is over");
    });
    try {
      return await scope.result;
    } catch (error) {
      if (!isCut || !(error instanceof TroupeError) || error.code !== "ENGINE_CANCELLED")
        throw error;
      return await this.#interrupted(iteration);
    } finally {
      this.#clock.watch(undefined);
    }
  }

  #standsAt(): string | undefined {
    if (!this.#isTakenOver) return undefined;
    return this.#records.findLast(({ commitId }) => commitId !== null)?.commitId ?? undefined;
  }

  async #interrupted(iteration: number): Promise<IterationEnd> {
    const { durationMs = 0 } = this.#series.settings;
    const timeoutMs = durationMs + graceOf(durationMs);
    const error = toErrorReport(stepTimedOut({ step: `iteration[${iteration}]`, timeoutMs }));
    const attempted = { status: "failed", error, output: "" } as const;
    const work = { iteration, attempted, tokensUsed: null };
    const record = await concludeIteration(this.#context, this.#series, work);
    return { record, output: "", error, isReused: false, isRefused: false };
  }

  #take({ record, output, error, isReused }: IterationEnd): void {
    this.#records.push(record);
    this.#failuresInARow = record.success ? 0 : this.#failuresInARow + 1;
    this.#isTakenOver = isReused;
    if (record.success) this.#output = output;
    this.#error = record.success ? undefined : (error ?? this.#error);
    this.#advance("iteration-completed", toJson(record, "the record of an iteration"));
    const { count = null } = this.#series.settings;
    const tokens = seriesResult(this.#advances).totalTokens;
    const elapsed = elapsedMs(this.#startedAt, this.#context.now());
    this.#advance("iteration", {
      done: this.#records.length,
      of: count,
      elapsedMs: elapsed,
      tokens,
    });
  }

  async #isReached(iteration: number): Promise<boolean> {
    const { settings, team, definition } = this.#series;
    const { until: command, agent } = settings;
    this.#check = undefined;
    if (command === undefined || this.#isTakenOver) return false;
    const cwd = team.cwd(agent.id);
    const variables = { TROUPE_RUN: this.#context.run.id, TROUPE_ITERATION: String(iteration) };
    const end = await this.#context.step("until", async ({ host, signal }) => {
      const env = host.commandEnv(variables);
      const request = { command, cwd, env, timeoutMs: UNTIL_TIMEOUT_MS };
      if (!hasOneLanguage(definition)) return commandEndOf(await host.run(request, signal));
      // Nothing shows what a check printed: to see all of it, it is run again.
      return commandEndOf(await runWithFailure(host, request, { from: { all: command }, signal }));
    });
    const { exitCode, timedOut, failure } = readCommandEnd(end);
    if (timedOut)
      this.#context.log("warning", `until did not end within ${formatDuration(UNTIL_TIMEOUT_MS)}`);
    if (failure?.report !== undefined) this.#fail({ iteration, command, report: failure.report });
    return exitCode === 0;
  }

  /** Tells the next iteration and those who follow the run why the series is not over. */
  #fail(check: FailedCheck): void {
    this.#check = check;
    const { iteration, command, report } = check;
    const [headline = ""] = report.split("\n");
    this.#advance("until-failed", { iteration, command, headline });
  }

  #refused(): ProgramResult {
    const error = this.#error;
    const { metadata } = this.#counted();
    const reason = error?.message ?? "the first iteration could not begin";
    return { outcome: "failed", reason, metadata, ...present({ error }) };
  }

  #counted() {
    const result = seriesResult(this.#advances);
    const metadata = { ...result, records: toJson(result.records, "the records of a series") };
    return { metadata, succeeded: result.iterationsSucceeded, all: result.iterationsAttempted };
  }

  #advance(kind: string, data: Json): void {
    this.#advances.push({ kind, data });
    this.#context.note({ type: "pattern-advanced", kind, data });
  }
}

/** What bounds a series, for people. */
function boundText({ count, durationMs, until, cap }: SeriesSettings): string {
  const bounds = [
    ...(count === undefined ? [] : [String(count)]),
    ...(durationMs === undefined ? [] : [formatDuration(durationMs)]),
    ...(until === undefined ? [] : ["until it is done"]),
  ];
  return bounds.length === 0 ? String(cap) : bounds.join(" or ");
}
