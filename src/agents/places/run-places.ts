import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentConstraints } from "../../contracts/agent.ts";
import type { AgentBackend } from "../../contracts/backend.ts";
import type { AgentWorktree, PlaceBreach } from "../../contracts/events/place-events.ts";
import type { ReachRefusal } from "../../contracts/host.ts";
import { warnOfCleanUp } from "../../engine/clean-up.ts";
import type { RunRuntime } from "../../engine/run-runtime.ts";
import type { AgentState } from "../../fold/state/agent-state.ts";
import { type ErrorReport, type TroupeError, toErrorReport } from "../../foundation/errors.ts";
import { findStorageFault } from "../../foundation/storage-fault.ts";
import { type AgentPlace, type AgentPlaces, leftWork, type TurnWatch } from "./agent-place.ts";
import { constraintBreached } from "./errors.ts";
import type { PlaceFiles } from "./place-files.ts";
import type { Surroundings } from "./surroundings.ts";

// Owns the places of a run's agents: their worktrees and branches, and what is remembered to check their turns.
// W1: where a place is, from which commit, on which branch is durable before it is made; a later owner finds it.
// W2: worktrees of one repository are made one at a time, by whichever process.
// W3: nothing that an agent has written is removed: what is not committed is committed first.
// W4: each place is settled separately, and one that cannot be is a warning of the run.

/** What places need of their run and this machine. */
export interface RunPlacesOptions {
  readonly runtime: RunRuntime;
  readonly surroundings: Surroundings;
}

const MOST_LISTED = 50;

/** The places of one run. Makes nothing before the first agent asks. */
export class RunPlaces implements AgentPlaces {
  readonly #options: RunPlacesOptions;
  readonly #opened = new Map<string, Promise<AgentPlace>>();
  readonly #files = new Map<string, PlaceFiles>();
  /** Turns in directories that agents share, by agent, and how many there ever were. */
  readonly #sharing = new Map<string, number>();
  #shared = 0;
  readonly #refusals = createRefusals();

  constructor(options: RunPlacesOptions) {
    this.#options = options;
  }

  async open(agent: AgentState, backend: AgentBackend): Promise<AgentPlace> {
    const known = this.#opened.get(agent.id);
    if (known !== undefined) {
      const place = await known;
      const lost = await this.#lost(agent);
      if (lost === undefined) return place;
      if (agent.place?.isUsed === true) throw lost;
      // Nobody has worked in it, so it is made again.
      this.#opened.delete(agent.id);
    }
    const opening = this.#open(agent, backend);
    this.#opened.set(agent.id, opening);
    // The next session tries again.
    opening.catch(() => this.#opened.delete(agent.id));
    return opening;
  }

  async watch(agent: AgentState): Promise<TurnWatch | undefined> {
    const { constraints = {} } = agent.spec;
    const worktree = agent.place?.worktree;
    const files = boundsFiles(constraints) ? await this.#filesOf(agent) : undefined;
    const seesFiles = await files?.look();
    const seesBeyond =
      worktree === undefined
        ? undefined
        : await this.#guard(worktree, agent.place?.directory ?? "");
    const leave = worktree === undefined ? this.#share(agent.id) : undefined;
    const isConfined = agent.spec.isolation === "sandbox";
    if (seesFiles === undefined && seesBeyond === undefined && !isConfined) {
      // Its turns count for those of others, who may not be blamed for them.
      return leave === undefined ? undefined : { end: async () => void leave() };
    }
    const seesObeyed =
      isConfined && !this.#options.surroundings.isUnsandboxed
        ? await this.#obeyedOf(agent)
        : undefined;
    const before = this.#shared;
    const wasShared = this.#sharing.size > 0;
    return {
      end: async (turn) => {
        leave?.();
        const isAlone = !wasShared && this.#shared === before;
        const told = [...((await seesBeyond?.(isAlone)) ?? []), ...this.#refusals.take(agent.id)];
        if (told.length > 0) this.#journal(agent.id, turn, { breaches: told, failed: false });
        const lost = await this.#lost(agent);
        if (lost !== undefined) return toErrorReport(lost);
        const broken = [...((await seesFiles?.()) ?? []), ...((await seesObeyed?.()) ?? [])];
        return this.#verdict(agent.id, turn, broken);
      },
    };
  }

  async settle(): Promise<void> {
    const { runtime } = this.#options;
    this.#nameAbsent();
    for (const agent of [...runtime.state.agents.values()]) {
      // No step of this run opened its worktree, but merge looks for its branch.
      if (leftWork(runtime.state.run, agent) !== undefined) await this.#takeOver(agent);
      const { place } = agent;
      const worktree = place?.worktree;
      if (worktree === undefined || place?.end !== undefined) continue;
      try {
        await this.#settleWorktree(agent, worktree);
      } catch (error) {
        const isUnwritable = findStorageFault(error) !== undefined;
        const todo = isUnwritable ? " with its work: make room, commit it there, then merge" : "";
        const left = `the worktree of ${agent.id} stays as it is in ${worktree.path}${todo}`;
        warnOfCleanUp(runtime, { of: `worktrees/${agent.id}`, left, error });
      }
    }
  }

  intended(agent: AgentState): string {
    const { runtime, surroundings } = this.#options;
    const { isolation, cwd = runtime.state.run.cwd } = agent.spec;
    if (isolation !== "worktree") return cwd;
    // It is not there, so nobody takes the directory of the run for that of the agent.
    return agent.place?.directory ?? join(surroundings.runDirectory ?? cwd, "worktrees", agent.id);
  }

  async #open(agent: AgentState, backend: AgentBackend): Promise<AgentPlace> {
    const { isolation } = agent.spec;
    const cwd = agent.spec.cwd ?? this.#options.runtime.state.run.cwd;
    if (isolation === "worktree") return { cwd: await this.#openWorktree(agent, cwd) };
    return isolation === "sandbox" ? this.#openSandbox(agent, backend, cwd) : { cwd };
  }

  async #openWorktree(agent: AgentState, cwd: string): Promise<string> {
    const { runtime, surroundings } = this.#options;
    const { runDirectory } = surroundings;
    const { branchOf, makeWorktree, planWorktree, toWorktreeError } = await import(
      "./worktree-place.ts"
    );
    if (agent.place?.worktree === undefined || agent.place.end !== undefined) {
      const commit = runtime.state.run.repository?.commit;
      const left = leftWork(runtime.state.run, agent);
      const wish = { run: runtime.run, agent: agent.id, cwd, commit, left };
      const planned = await planWorktree(surroundings, { ...wish, runDirectory }).catch(
        (error: unknown) => {
          const branch = branchOf(runtime.run, agent.id);
          const path = this.intended(agent);
          const worktree = { root: cwd, path, branch, base: "" };
          throw toWorktreeError({ agent: agent.id, worktree }, error);
        },
      );
      runtime.append({ type: "agent-placed", ...planned });
      await runtime.flushed();
    }
    const { place } = agent;
    if (place?.worktree === undefined) throw new Error(`${agent.id} was given no place`);
    const { worktree, directory } = place;
    const given = { worktree, directory, agent: agent.id, isUsed: place.isUsed };
    await surroundings.exclusively(worktree.root, () => makeWorktree(surroundings, given));
    return directory;
  }

  async #openSandbox(agent: AgentState, backend: AgentBackend, cwd: string): Promise<AgentPlace> {
    const { runtime, surroundings } = this.#options;
    const isConfined = !surroundings.isUnsandboxed;
    const { constraints = {} } = agent.spec;
    const { confineAgent, networkOf, sandboxProblem } = await import("./confine-agent.ts");
    const problem = sandboxProblem(agent.spec, backend, { ...surroundings, cwd });
    if (problem !== undefined) throw problem;
    if (agent.place?.isConfined !== isConfined) {
      const placed = { agent: agent.id, isolation: "sandbox", directory: cwd, isConfined } as const;
      runtime.append({ type: "agent-placed", ...placed });
    }
    if (!isConfined) return { cwd };
    const onRefused = (refusal: ReachRefusal) => this.#refusals.add(agent.id, refusal);
    return {
      cwd,
      confine: (reach) => {
        const network = networkOf(constraints, reach, surroundings.sandbox.network);
        return confineAgent(
          { agent: agent.id, cwd, constraints, network, onRefused },
          { reach, surroundings },
        );
      },
    };
  }

  /** Gives the agent the commits of an earlier run; warns if they are gone. */
  async #takeOver(agent: AgentState): Promise<void> {
    const { runtime } = this.#options;
    try {
      await this.#openWorktree(agent, agent.spec.cwd ?? runtime.state.run.cwd);
    } catch (error) {
      const left = `the earlier work of ${agent.id} is on no branch of this run`;
      warnOfCleanUp(runtime, { of: `worktrees/${agent.id}`, left, error });
    }
  }

  /** Warns of work that is on no branch of this run because its agent never joined: all of its steps were reused. */
  #nameAbsent(): void {
    const { runtime } = this.#options;
    for (const { agent, run, commit } of runtime.state.run.reuse?.worktrees ?? []) {
      if (runtime.state.agents.has(agent)) continue;
      const left = `the work of ${agent} stays on its branch of ${run} (commit ${commit.slice(0, 12)}); to merge it: troupe merge ${run}`;
      warnOfCleanUp(runtime, { of: `worktrees/${agent}`, left });
    }
  }

  async #filesOf(agent: AgentState): Promise<PlaceFiles> {
    const { runtime, surroundings } = this.#options;
    const { constraints = {}, cwd = runtime.state.run.cwd } = agent.spec;
    const { createPlaceFiles } = await import("./place-files.ts");
    const known = this.#files.get(agent.id);
    if (known !== undefined) return known;
    const made = createPlaceFiles({
      agent: agent.id,
      cwd: agent.place?.directory ?? cwd,
      constraints,
      written: surroundings.written,
    });
    this.#files.set(agent.id, made);
    return made;
  }

  async #obeyedOf({ spec }: AgentState): Promise<() => Promise<readonly PlaceBreach[]>> {
    const { runtime } = this.#options;
    const { watchObeyed } = await import("./watch-obeyed.ts");
    return watchObeyed(spec.cwd ?? runtime.state.run.cwd);
  }

  async #guard(worktree: AgentWorktree, directory: string) {
    const { guardWorktree } = await import("./worktree-place.ts");
    return guardWorktree(this.#options.surroundings, worktree, directory);
  }

  /** Notes that a turn works where others do; the result notes its end. */
  #share(agent: string): () => void {
    this.#shared += 1;
    this.#sharing.set(agent, (this.#sharing.get(agent) ?? 0) + 1);
    return () => {
      const left = (this.#sharing.get(agent) ?? 1) - 1;
      if (left === 0) this.#sharing.delete(agent);
      else this.#sharing.set(agent, left);
    };
  }

  #verdict(agent: string, turn: number, breaches: readonly PlaceBreach[]): ErrorReport | undefined {
    if (breaches.length === 0) return undefined;
    this.#journal(agent, turn, { breaches, failed: true });
    const listed = breaches.slice(0, MOST_LISTED);
    const more = breaches.length - listed.length;
    return toErrorReport(constraintBreached({ agent, breaches: listed, more }));
  }

  #journal(
    agent: string,
    turn: number,
    { breaches, failed }: { readonly breaches: readonly PlaceBreach[]; readonly failed: boolean },
  ): void {
    const listed = breaches.slice(0, MOST_LISTED);
    const rest = breaches.length - listed.length;
    const more = rest === 0 ? {} : { more: rest };
    const event = { agent, turn, breaches: listed, ...more, failed };
    this.#options.runtime.append({ type: "place-breached", ...event });
  }

  /** The error of a worktree that is gone; undefined while it is there, and for agents without one. */
  async #lost({ id: agent, place }: AgentState): Promise<TroupeError | undefined> {
    if (place?.worktree === undefined) return undefined;
    const { lostWorktree } = await import("./worktree-place.ts");
    const { worktree, directory } = place;
    return lostWorktree({ agent, directory, worktree });
  }

  async #settleWorktree({ id: agent, place }: AgentState, worktree: AgentWorktree): Promise<void> {
    const { runtime, surroundings } = this.#options;
    const { settleWorktree } = await import("./worktree-place.ts");
    const message = `${agent}: work of ${runtime.run}\n\nCommitted by Troupe at the end of the run.`;
    const given = { agent, worktree, isUsed: place?.isUsed ?? false };
    await runtime.flushed();
    const freeSpace = holdSpace(surroundings.runDirectory);
    const settled = surroundings
      .exclusively(worktree.root, () => settleWorktree(surroundings, given, message))
      .finally(freeSpace);
    const { end, warning } = await settled;
    if (warning !== undefined) {
      const left = `the worktree of ${agent} ${warning}`;
      warnOfCleanUp(runtime, { of: `worktrees/${agent}`, left });
    }
    const commit = end === undefined ? {} : { commit: end.commit };
    const { branch } = worktree;
    runtime.append({ type: "place-settled", agent, branch, ...commit, files: end?.files ?? 0 });
  }
}

/** Room for the last events of a run. */
const HELD_BYTES = 256 * 1024;

/**
 * Takes some of the disk before a commit that may fill it: git leaves what it wrote of an object that did not fit. Returns
 * how to give it back, to the journal, which still has to say how the run ended.
 */
function holdSpace(directory: string | undefined): () => void {
  if (directory === undefined) return () => {};
  const file = join(directory, "held-space");
  const free = () => rmSync(file, { force: true });
  try {
    // Not zeros, which some file systems do not store.
    writeFileSync(file, randomBytes(HELD_BYTES), { mode: 0o600 });
  } catch {
    // On a disk that is full already the commit fails before it takes what is left.
    free();
  }
  return free;
}

/** Whether constraints say anything about files. */
function boundsFiles({ fileScope = {}, readOnly = [] }: AgentConstraints): boolean {
  const { include, exclude = [] } = fileScope;
  return include !== undefined || exclude.length > 0 || readOnly.length > 0;
}

/** What confined agents were kept from and nobody was told yet. */
interface Refusals {
  add(agent: string, refusal: ReachRefusal): void;
  /** What is new since the last time; each place once per agent, the first hundred of them. */
  take(agent: string): readonly PlaceBreach[];
}

const MOST_KEPT = 100;

/** Nothing yet. */
export function createRefusals(): Refusals {
  const known = new Map<string, Set<string>>();
  const fresh = new Map<string, PlaceBreach[]>();
  return {
    add: (agent, { target, reason }) => {
      const places = known.get(agent) ?? new Set();
      if (places.has(target) || places.size >= MOST_KEPT) return;
      known.set(agent, places.add(target));
      const breach: PlaceBreach = { rule: "network", path: target, reason };
      fresh.set(agent, [...(fresh.get(agent) ?? []), breach]);
    },
    take: (agent) => {
      const taken = fresh.get(agent) ?? [];
      fresh.delete(agent);
      return taken;
    },
  };
}
