import { existsSync } from "node:fs";
import type { CommandResult, Host } from "../../../contracts/host.ts";
import type { GitDoor } from "../../../host/git/git-door.ts";
import type { GitHost } from "../../../host/git/git-repositories.ts";
import { readBranch, readBranchTip } from "../../../host/git/repository.ts";
import { committedHead } from "../../../host/git/working-merge.ts";
import { doorOf, isDirty, removeBranch, removeWorktree } from "../../../host/git/worktree.ts";
import { mergeElsewhere, NO_BRANCH } from "./errors.ts";
import {
  abortMerge,
  commitMerge,
  isMerged,
  isMerging,
  mergeBranch,
  undoMerge,
  unmergedFiles,
  unresolvedFiles,
} from "./merge-branch.ts";
import type { MergeBranch, MergeRecord, MergeState } from "./merge-state.ts";

// Brings the branches of a run together, one by one.
// M1: what is about to happen is written down before it happens, so that --continue finds its way from anywhere.
// M2: a branch counts as merged only once the verification has passed; one that fails is taken back.
// M3: nothing is removed that is not part of the result.

/** A conflict that somebody has to resolve in the working tree. */
export interface MergeConflict extends MergeBranch {
  readonly run: string;
  readonly root: string;
  /** The agent that was named for it. */
  readonly solver: string;
  /** From the root. */
  readonly files: readonly string[];
}

/** What a merge tells while it works. */
export type MergeNews =
  | { readonly kind: "merged" | "undone"; readonly branch: MergeBranch }
  | { readonly kind: "verifying"; readonly branch: MergeBranch; readonly command: string }
  | { readonly kind: "solving"; readonly conflict: MergeConflict };

export interface MergePorts {
  readonly tell: (news: MergeNews) => void;
  /** Lets an agent resolve a conflict; resolves with whether it says that it has. */
  readonly solve: (conflict: MergeConflict) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Where a merge stands. */
export interface MergeReport {
  readonly run: string;
  readonly root: string;
  readonly into: string;
  readonly start: string;
  readonly merged: readonly MergeBranch[];
  /** Not merged yet, the one that it stopped at first. */
  readonly left: readonly MergeBranch[];
  readonly end:
    | { readonly status: "merged"; readonly kept: readonly MergeBranch[] }
    | { readonly status: "conflict"; readonly files: readonly string[] }
    | { readonly status: "verification-failed"; readonly command: string; readonly output: string }
    | { readonly status: "aborted" };
}

const OUTPUT_CHARS = 4000;

/** What a merge is carried out with. */
export interface WorkParts {
  readonly host: Host & GitHost;
  /** Of the working tree that is merged into. */
  readonly door: GitDoor;
  readonly record: MergeRecord;
  readonly ports: MergePorts;
}

interface StateChanges {
  readonly branches?: readonly MergeBranch[];
  readonly merged?: readonly string[];
  /** Undefined: no merge is in progress. */
  readonly current?: MergeState["current"] | undefined;
}

type Step = { readonly status: "done" } | Exclude<MergeReport["end"], { status: "merged" }>;

/** One merge of a run, from wherever it stands. */
export class MergeWork {
  readonly #parts: WorkParts;
  #state: MergeState;

  constructor(state: MergeState, parts: WorkParts) {
    this.#state = state;
    this.#parts = parts;
  }

  async goOn(): Promise<MergeReport> {
    const { run, root, into } = this.#state;
    const found = readBranch(root) ?? "";
    if (found !== into)
      throw mergeElsewhere({ run, root, expected: into || NO_BRANCH, found: found || NO_BRANCH });
    this.#write({ branches: this.#branchesNow() });
    for (const branch of this.#state.branches) {
      if (this.#state.merged.includes(branch.branch)) continue;
      const step = await this.#take(branch);
      if (step.status !== "done") return this.#report(step);
      this.#parts.ports.tell({ kind: "merged", branch });
    }
    return this.#finish();
  }

  /** Branches may have gone on since: those that wait are merged as they are now. */
  #branchesNow(): readonly MergeBranch[] {
    const { root, branches, merged, current } = this.#state;
    return branches.map((branch) => {
      if (merged.includes(branch.branch) || current?.branch === branch.branch) return branch;
      return { ...branch, commit: readBranchTip(root, branch.branch) ?? branch.commit };
    });
  }

  async abort(): Promise<MergeReport> {
    const { door, record } = this.#parts;
    const { current } = this.#state;
    if (current !== undefined && isMerging(door)) await abortMerge(door);
    record.remove();
    return this.#report({ status: "aborted" });
  }

  /** Merges and verifies one branch, from wherever an earlier process left it. */
  async #take(branch: MergeBranch): Promise<Step> {
    const { door, ports } = this.#parts;
    ports.signal.throwIfAborted();
    const before = this.#before(branch);
    if (isMerging(door)) {
      const conflict = await this.#resolve(branch, await unmergedFiles(door));
      if (conflict !== undefined) return conflict;
    } else if (!(await isMerged(door, branch))) {
      this.#write({ current: { branch: branch.branch, before } });
      const merge = await mergeBranch(door, { run: this.#state.run, target: branch });
      if (merge.status === "conflict") {
        const conflict = await this.#resolve(branch, merge.files);
        if (conflict !== undefined) return conflict;
      }
    }
    return this.#verify(branch, before);
  }

  /** The commit to go back to: the recorded one as long as it is this branch that was being merged. */
  #before(branch: MergeBranch): string {
    const { current } = this.#state;
    return current?.branch === branch.branch ? current.before : committedHead(this.#parts.door);
  }

  /** Takes a conflict to its end: what is left of it, or undefined once the merge is committed. */
  async #resolve(branch: MergeBranch, files: readonly string[]): Promise<Step | undefined> {
    const { door } = this.#parts;
    const left = files.length === 0 ? [] : await this.#solve(branch, files);
    if (left.length > 0) return { status: "conflict", files: left };
    if (isMerging(door)) await commitMerge(door, files);
    // Whoever resolved it may have given the merge up instead.
    return (await isMerged(door, branch)) ? undefined : { status: "conflict", files };
  }

  /** What an agent leaves of a conflict; all of it without one: a person says by `git add` what is resolved. */
  async #solve(branch: MergeBranch, files: readonly string[]): Promise<readonly string[]> {
    const { ports } = this.#parts;
    const { run, root, agent } = this.#state;
    if (agent === undefined) return files;
    const conflict = { ...branch, run, root, files, solver: agent };
    ports.tell({ kind: "solving", conflict });
    return (await ports.solve(conflict)) ? unresolvedFiles(root, files) : files;
  }

  async #verify(branch: MergeBranch, before: string): Promise<Step> {
    const { host, door, ports } = this.#parts;
    const { root, verify, verifyTimeoutMs, merged } = this.#state;
    if (verify !== undefined) {
      ports.tell({ kind: "verifying", branch, command: verify });
      const request = {
        command: verify,
        cwd: root,
        env: host.baseEnv({}),
        timeoutMs: verifyTimeoutMs,
      };
      const result = await host.run(request, ports.signal);
      if (result.exitCode !== 0) {
        await undoMerge(door, before);
        this.#write({ current: undefined });
        ports.tell({ kind: "undone", branch });
        return { status: "verification-failed", command: verify, output: outputOf(result) };
      }
    }
    this.#write({ current: undefined, merged: [...merged, branch.branch] });
    return { status: "done" };
  }

  /** Removes what is merged; what has gone on meanwhile stays. */
  async #finish(): Promise<MergeReport> {
    const { root, branches, keeps } = this.#state;
    const kept: MergeBranch[] = [];
    for (const branch of branches) {
      if (keeps || !(await this.#remove(root, branch))) kept.push(branch);
    }
    this.#parts.record.remove();
    return this.#report({ status: "merged", kept });
  }

  async #remove(root: string, branch: MergeBranch): Promise<boolean> {
    const { host } = this.#parts;
    const { path } = branch;
    if (existsSync(path)) {
      const tip = committedHead(await doorOf(host.repositories, path));
      if (tip !== branch.commit || (await isDirty(host, path))) return false;
      await removeWorktree(host, { root, path });
    }
    return removeBranch(host, root, branch);
  }

  #write(changes: StateChanges): void {
    const { current: known, ...rest } = this.#state;
    const current = "current" in changes ? changes.current : known;
    this.#state = {
      ...rest,
      branches: changes.branches ?? rest.branches,
      merged: changes.merged ?? rest.merged,
      ...(current === undefined ? {} : { current }),
    };
    this.#parts.record.write(this.#state);
  }

  #report(end: MergeReport["end"]): MergeReport {
    const { run, root, into, start, branches, merged } = this.#state;
    const isDone = ({ branch }: MergeBranch) => merged.includes(branch);
    return {
      ...{ run, root, into, start, end },
      merged: branches.filter(isDone),
      left: branches.filter((branch) => !isDone(branch)),
    };
  }
}

function outputOf({ stdout, stderr, timedOut }: CommandResult): string {
  const text = `${stdout}${stderr}`.slice(-OUTPUT_CHARS).toWellFormed();
  return timedOut ? `${text}\nit did not end in time\n` : text;
}
