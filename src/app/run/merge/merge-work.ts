import { existsSync } from "node:fs";
import type { CommandResult, Host } from "../../../contracts/host.ts";
import { branchHolders } from "../../../host/git/branch-holders.ts";
import type { GitDoor } from "../../../host/git/git-door.ts";
import type { GitHost } from "../../../host/git/git-repositories.ts";
import { readBranch, readBranchTip } from "../../../host/git/repository.ts";
import { committedHead } from "../../../host/git/working-merge.ts";
import { doorOf, isDirty, removeBranch, removeWorktree } from "../../../host/git/worktree.ts";
import { type BranchChanges, needsConsent, readBranchChanges } from "./branch-changes.ts";
import { mergeElsewhere, NO_BRANCH } from "./errors.ts";
import {
  abortMerge,
  commitMerge,
  finishPending,
  isLastMerge,
  isMerged,
  isMerging,
  mergeBranch,
  switchTo,
  takePendingBack,
  undoMerge,
  unmergedFiles,
  unresolvedFiles,
} from "./merge-branch.ts";
import type { MergeBranch, MergeRecord, MergeState } from "./merge-state.ts";

// Brings the branches of a run together, one by one.
// M1: what is about to happen is written down before it happens, so that --continue finds its way from anywhere.
// M2: a branch counts as merged only once the verification has passed; one that fails is taken back.
// M3: nothing is removed that is not part of the result.
// M4: before the first write of a merge it is shown what its branches change, and a branch that deletes much, or brings
//     what programs outside obey, is agreed to.

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
  | { readonly kind: "bringing"; readonly changes: BranchChanges }
  | { readonly kind: "switched"; readonly branch: string; readonly from: string }
  | { readonly kind: "merged" | "undone"; readonly branch: MergeBranch }
  | { readonly kind: "verifying"; readonly branch: MergeBranch; readonly command: string }
  | { readonly kind: "solving"; readonly conflict: MergeConflict };

export interface MergePorts {
  readonly tell: (news: MergeNews) => void;
  /** Lets an agent resolve a conflict; resolves with whether it says that it has. */
  readonly solve: (conflict: MergeConflict) => Promise<boolean>;
  /** Asks whether branches are to be merged although they delete much; resolves with the answer, or raises. */
  readonly agree: (heavy: readonly BranchChanges[]) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Where a merge stands. */
export interface MergeReport {
  readonly run: string;
  readonly root: string;
  readonly into: string;
  readonly start: string;
  /** What was checked out before, where the working tree was left on another branch; empty for no branch. */
  readonly switchedFrom?: string;
  /** Files that a killed process left in neither state, because somebody has changed them: they stay as they are. */
  readonly edited: readonly string[];
  readonly merged: readonly MergeBranch[];
  /** Not merged yet, the one that it stopped at first. */
  readonly left: readonly MergeBranch[];
  readonly end:
    | { readonly status: "merged"; readonly kept: readonly MergeBranch[] }
    | { readonly status: "conflict"; readonly files: readonly string[] }
    | { readonly status: "verification-failed"; readonly command: string; readonly output: string }
    | { readonly status: "declined" | "aborted" };
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
  readonly agreed?: readonly string[];
}

type Step =
  | { readonly status: "done" }
  | Extract<MergeReport["end"], { status: "conflict" | "verification-failed" }>;

/** One merge of a run, from wherever it stands. */
export class MergeWork {
  readonly #parts: WorkParts;
  #state: MergeState;
  #edited: readonly string[] = [];

  constructor(state: MergeState, parts: WorkParts) {
    this.#state = state;
    this.#parts = parts;
  }

  async goOn(): Promise<MergeReport> {
    const { door } = this.#parts;
    const { run } = this.#state;
    const isNew = this.#parts.record.read() === undefined;
    this.#addEdited(await finishPending(door, run));
    const branches = this.#branchesNow();
    const heavy = await this.#compare(branches, isNew);
    if (heavy.length > 0 && !(await this.#parts.ports.agree(heavy)))
      return this.#report({ status: "declined" });
    const agreed = [...(this.#state.agreed ?? []), ...heavy.map(({ commit }) => commit)];
    this.#write({ branches, agreed });
    await this.#reachTarget();
    for (const branch of this.#state.branches) {
      if (this.#state.merged.includes(branch.branch)) continue;
      const step = await this.#take(branch);
      if (step.status !== "done") return this.#report(step);
      this.#parts.ports.tell({ kind: "merged", branch });
    }
    return this.#finish();
  }

  /** Shows what is about to come, when it begins; resolves with what nobody has agreed to yet. */
  async #compare(
    branches: readonly MergeBranch[],
    isNew: boolean,
  ): Promise<readonly BranchChanges[]> {
    const { door, ports } = this.#parts;
    const { start, merged, current, agreed = [] } = this.#state;
    const heavy: BranchChanges[] = [];
    for (const branch of branches) {
      if (merged.includes(branch.branch) || current?.branch === branch.branch) continue;
      const changes = await readBranchChanges(door, { start, branch });
      if (isNew) ports.tell({ kind: "bringing", changes });
      if (needsConsent(changes) && !agreed.includes(branch.commit)) heavy.push(changes);
    }
    return heavy;
  }

  /** Has the branch checked out that the merge goes into. Raises RUN_MERGE_ELSEWHERE, RUN_MERGE_FAILED. */
  async #reachTarget(): Promise<void> {
    const { door, ports } = this.#parts;
    const { run, root, into, switchedFrom, merged, current } = this.#state;
    const found = readBranch(root) ?? "";
    if (found === into) return;
    const isBeginning = merged.length === 0 && current === undefined;
    if (found !== switchedFrom || !isBeginning)
      throw mergeElsewhere({ run, root, expected: into || NO_BRANCH, found: found || NO_BRANCH });
    this.#addEdited((await switchTo(door, { branch: into, run })).edited);
    ports.tell({ kind: "switched", branch: into, from: found });
  }

  #addEdited(paths: readonly string[]): void {
    this.#edited = [...new Set([...this.#edited, ...paths])].sort();
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
    const { run, current, branches } = this.#state;
    this.#addEdited(await takePendingBack(door, run));
    const target = branches.find(({ branch }) => branch === current?.branch);
    if (current !== undefined && target !== undefined) {
      if (isMerging(door, run, target)) this.#addEdited((await abortMerge(door, run)).edited);
      else if (await isMerged(door, target)) await this.#settleUnverified(target, current.before);
    }
    record.remove();
    return this.#report({ status: "aborted" });
  }

  /** What was committed and not verified is taken back, unless nothing was to be verified or more came after it (M2). */
  async #settleUnverified(target: MergeBranch, before: string): Promise<void> {
    const { door } = this.#parts;
    const { run, merged, verify } = this.#state;
    if (verify !== undefined && (await isLastMerge(door, { before, target })))
      this.#addEdited((await undoMerge(door, { before, run })).edited);
    else this.#write({ current: undefined, merged: [...merged, target.branch] });
  }

  /** Merges and verifies one branch, from wherever an earlier process left it. */
  async #take(branch: MergeBranch): Promise<Step> {
    const { door, ports } = this.#parts;
    ports.signal.throwIfAborted();
    const before = this.#before(branch);
    const { run } = this.#state;
    if (isMerging(door, run, branch)) {
      const conflict = await this.#resolve(branch, await unmergedFiles(door));
      if (conflict !== undefined) return conflict;
    } else if (!(await isMerged(door, branch))) {
      this.#write({ current: { branch: branch.branch, before } });
      const merge = await mergeBranch(door, { run, target: branch });
      this.#addEdited(merge.edited);
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
    const { run } = this.#state;
    const left = files.length === 0 ? [] : await this.#solve(branch, files);
    if (left.length > 0) return { status: "conflict", files: left };
    if (isMerging(door, run, branch)) await commitMerge(door, run, files);
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
    const { run, root, verify, verifyTimeoutMs, merged } = this.#state;
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
        this.#addEdited((await undoMerge(door, { before, run })).edited);
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
    const { host, door } = this.#parts;
    const { path } = branch;
    if (existsSync(path)) {
      const tip = committedHead(await doorOf(host.repositories, path));
      if (tip !== branch.commit || (await isDirty(host, path))) return false;
      await removeWorktree(host, { root, path });
    }
    // Somebody has it checked out in a place of her own.
    if (branchHolders(door.place, branch.branch).length > 0) return false;
    return removeBranch(host, root, branch);
  }

  #write(changes: StateChanges): void {
    const { current: known, ...rest } = this.#state;
    const current = "current" in changes ? changes.current : known;
    const agreed = changes.agreed ?? rest.agreed ?? [];
    this.#state = {
      ...rest,
      branches: changes.branches ?? rest.branches,
      merged: changes.merged ?? rest.merged,
      ...(agreed.length === 0 ? {} : { agreed }),
      ...(current === undefined ? {} : { current }),
    };
    this.#parts.record.write(this.#state);
  }

  #report(end: MergeReport["end"]): MergeReport {
    const { run, root, into, start, switchedFrom, branches, merged } = this.#state;
    const isElsewhere = switchedFrom !== undefined && readBranch(root) === into;
    const isDone = ({ branch }: MergeBranch) => merged.includes(branch);
    return {
      ...{ run, root, into, start, end, edited: this.#edited },
      ...(isElsewhere ? { switchedFrom } : {}),
      merged: branches.filter(isDone),
      left: branches.filter((branch) => !isDone(branch)),
    };
  }
}

function outputOf({ stdout, stderr, timedOut }: CommandResult): string {
  const text = `${stdout}${stderr}`.slice(-OUTPUT_CHARS).toWellFormed();
  return timedOut ? `${text}\nit did not end in time\n` : text;
}
