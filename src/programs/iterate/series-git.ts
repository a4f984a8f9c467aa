import { z } from "zod";
import type { GitKept, GitMark } from "../../contracts/host.ts";
import type { Context } from "../../contracts/ports/context.ts";
import { TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { headElsewhere, treeDirty } from "../errors.ts";
import type { SeriesSettings } from "./series-settings.ts";

// Owns what a series has to do with git: the files that an iteration changed, and its commit.
// G1: a commit has what was changed since the last one, or since the begin of the iteration after it; what an iteration left
//     that was not committed goes into the next commit.
// G2: git ends a series before its first iteration only. What cannot be committed later is told and goes with the next
//     commit; an iteration before which the files cannot be kept fails without its agent.

const RETRY = { maxAttempts: 3, initialMs: 1000 };
const MAX_SUBJECT_CHARS = 72;

// They come back from a journal.
const kept = z.object({
  commit: z.string().nullable(),
  branch: z.string().nullable(),
  tree: z.string(),
  isDirty: z.boolean(),
  staged: z.array(z.string()),
  apart: z.record(z.string(), z.string()),
});
const mark = z.object({
  commit: z.string().nullable(),
  differing: z.record(z.string(), z.string()),
});
const looked = z.object({ mark: mark.nullable(), kept: kept.nullable() });
const committed = z.object({
  commit: z.string().nullable(),
  files: z.array(z.string()),
  uncommitted: z.array(z.string()),
});

/** What an iteration changed, and its commit. */
export interface IterationChanges {
  readonly files: readonly string[];
  readonly summary: string;
  readonly commit: string | null;
  readonly uncommitted: readonly string[];
}

/** An iteration that is to begin. */
export interface IterationToBegin {
  readonly iteration: number;
  /** Id of the commit that has to be checked out, where iterations before it were taken over from an earlier run. */
  readonly standsAt: string | undefined;
}

/** An iteration whose work is over. */
export interface ConcludedIteration {
  readonly iteration: number;
  /** Whether it is committed, if its series commits. */
  readonly commits: boolean;
  /** What sums it up, by the files that it changed. */
  readonly summaryOf: (files: readonly string[]) => Promise<string>;
}

type Settings = Pick<SeriesSettings, "commits" | "allowsDirty">;

/** The working tree of a series. */
export class SeriesGit {
  readonly #cwd: string;
  readonly #settings: Settings;
  /** Since when changes are not committed yet. */
  #kept: GitKept | undefined;
  #mark: GitMark | undefined;
  #base: string | null | undefined;
  #isOff: boolean;
  #hasBegun = false;

  constructor(settings: Settings, cwd: string) {
    this.#cwd = cwd;
    this.#settings = settings;
    this.#isOff = !settings.commits;
  }

  /** The commit that the series began at; null where there is none. */
  get baseCommit(): string | null {
    return this.#base ?? null;
  }

  /** Whether an iteration could begin. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Takes over where an earlier run began. */
  resumeFrom(base: string | null): void {
    this.#base ??= base;
  }

  /**
   * Looks at the files before an iteration. Raises ITERATE_TREE_DIRTY, ITERATE_HEAD_ELSEWHERE, HOST_GIT_FAILED before the
   * first one that is carried out.
   */
  async look(context: Context, begun: IterationToBegin): Promise<void> {
    const keeps = !this.#isOff && this.#kept === undefined;
    const found = await this.#lookAt(context, keeps);
    this.#mark = found.mark ?? undefined;
    this.#base ??= found.mark?.commit ?? null;
    if (keeps) this.#keep(context, found, begun);
    this.#hasBegun = true;
  }

  #keep(context: Context, found: z.infer<typeof looked>, begun: IterationToBegin): void {
    if (found.kept === null) {
      this.#isOff = true;
      const problem =
        found.mark === null ? "there is no repository here" : "git could not be asked";
      context.log("warning", `nothing is committed: ${problem}`);
      return;
    }
    if (!this.#hasBegun) this.#assertFit(context, found.kept, begun);
    this.#kept = found.kept;
  }

  /** What changed since, and with `commits` its commit. */
  async conclude(
    context: Context,
    { iteration, commits, summaryOf }: ConcludedIteration,
  ): Promise<IterationChanges> {
    const files = await this.#touched(context);
    const since = this.#kept;
    const summary = await summaryOf(files);
    if (!commits || since === undefined) return { files, summary, commit: null, uncommitted: [] };
    const made = await this.#commit(context, since, { iteration, summary });
    if (made === undefined) return { files, summary, commit: null, uncommitted: [] };
    this.#kept = undefined;
    return { files, summary, commit: made.commit, uncommitted: made.uncommitted };
  }

  async #lookAt(context: Context, keeps: boolean): Promise<z.infer<typeof looked>> {
    const cwd = this.#cwd;
    const ask = () =>
      context.step("look at files", async ({ host }) => ({
        mark: (await host.git.mark(cwd, ["**"])) ?? null,
        kept: keeps ? ((await host.git.keep(cwd)) ?? null) : null,
      }));
    if (!this.#isOff) return looked.parse(await ask());
    try {
      return looked.parse(await ask());
    } catch (error) {
      const { message } = onlyFailure(error);
      if (this.#base === undefined)
        context.log("warning", `changed files are not told: ${message}`);
      return { mark: null, kept: null };
    }
  }

  #assertFit(
    context: Context,
    found: GitKept,
    { iteration, standsAt: expected }: IterationToBegin,
  ): void {
    if (found.isDirty && !this.#settings.allowsDirty) throw treeDirty({ cwd: this.#cwd });
    if (expected !== undefined && expected !== found.commit)
      throw headElsewhere({ iteration, expected, found: found.commit ?? "nothing" });
    context.log(
      "info",
      "iterations are committed without hooks, filters and signatures; what has to hold belongs under verify",
    );
    if (found.branch === null)
      context.log(
        "warning",
        "no branch is checked out: iterations are committed to a detached HEAD",
      );
  }

  async #touched(context: Context): Promise<readonly string[]> {
    const [before, cwd] = [this.#mark, this.#cwd];
    if (before === undefined) return [];
    try {
      return await context.step("changed files", async ({ host }) => [
        ...((await host.git.touchedSince(cwd, before)) ?? []),
      ]);
    } catch (error) {
      context.log("warning", `changed files are not known: ${onlyFailure(error).message}`);
      return [];
    }
  }

  async #commit(
    context: Context,
    since: GitKept,
    { iteration, summary }: { readonly iteration: number; readonly summary: string },
  ): Promise<z.infer<typeof committed> | undefined> {
    const { id } = context.run;
    const request = {
      ...messageOf(iteration, summary),
      trailers: { "Troupe-Run": id, "Troupe-Iteration": String(iteration) },
    };
    try {
      const made = await context.step(
        "commit",
        async ({ host }) => (await host.git.commitSince(this.#cwd, since, request)) ?? null,
        { retry: RETRY },
      );
      return committed.nullable().parse(made) ?? undefined;
    } catch (error) {
      const { message } = onlyFailure(error);
      context.log(
        "warning",
        `iteration ${iteration} is not committed, its changes go with the next: ${message}`,
      );
      return undefined;
    }
  }
}

function messageOf(
  iteration: number,
  summary: string,
): { readonly subject: string; readonly body: string } {
  const whole = summary.replace(/\p{Cc}+/gu, (found) => (found.includes("\n") ? "\n" : " ")).trim();
  const [first = ""] = whole.split("\n");
  const subject = `[iter-${iteration}] ${first.trim() || "no summary"}`;
  const isWhole = subject.length <= MAX_SUBJECT_CHARS;
  const cut = isWhole ? subject : `${subject.slice(0, MAX_SUBJECT_CHARS - 1).toWellFormed()}…`;
  return { subject: cut, body: isWhole && whole === first ? "" : withoutTrailers(whole) };
}

/** What an agent wrote is never read as a trailer. */
function withoutTrailers(text: string): string {
  return text.replace(/^Troupe-/gm, " Troupe-");
}

/** Cancellation is no failure of git. */
function onlyFailure(error: unknown): ReturnType<typeof toErrorReport> {
  if (error instanceof TroupeError && error.code === "ENGINE_CANCELLED") throw error;
  return toErrorReport(error);
}
