import type { JournalEvent } from "../contracts/events/event.ts";
import type { WorkPlaces } from "../contracts/ports/context.ts";

/** How a run and its process part, for those who have to end things first. */
export type StopKind = "suspended" | "ended";

/** Who wants to hear what of a run. */
export class RunListeners {
  readonly #appended = new Set<(event: JournalEvent) => void>();
  readonly #scopeOver: ((path: string) => void)[] = [];
  readonly #live: (() => void)[] = [];
  readonly #quiet: (() => void)[] = [];
  readonly #holds: (() => boolean)[] = [];
  readonly #stopping: ((stop: StopKind) => Promise<void>)[] = [];
  readonly #stopped: (() => Promise<void>)[] = [];
  #workPlaces: WorkPlaces | undefined;

  onAppended(listener: (event: JournalEvent) => void): () => void {
    this.#appended.add(listener);
    return () => void this.#appended.delete(listener);
  }

  onScopeOver(listener: (path: string) => void): void {
    this.#scopeOver.push(listener);
  }

  onLive(listener: () => void): void {
    this.#live.push(listener);
  }

  onQuiet(listener: () => void): void {
    this.#quiet.push(listener);
  }

  holdOpen(isHeld: () => boolean): void {
    this.#holds.push(isHeld);
  }

  onStopping(listener: (stop: StopKind) => Promise<void>): void {
    this.#stopping.push(listener);
  }

  onStopped(listener: () => Promise<void>): void {
    this.#stopped.push(listener);
  }

  locateWork(places: WorkPlaces): void {
    this.#workPlaces = places;
  }

  /** Undefined in a run without agents. */
  get workPlaces(): WorkPlaces | undefined {
    return this.#workPlaces;
  }

  appended(event: JournalEvent): void {
    for (const listener of this.#appended) listener(event);
  }

  /** Whether anybody wants to hear of scopes. */
  get hearsOfScopes(): boolean {
    return this.#scopeOver.length > 0;
  }

  scopeOver(path: string): void {
    for (const listener of this.#scopeOver) listener(path);
  }

  live(): void {
    for (const listener of this.#live) listener();
  }

  quiet(): void {
    for (const listener of this.#quiet) listener();
  }

  /** Whether something goes on for which a run that is done stays open. */
  get isHeldOpen(): boolean {
    return this.#holds.some((isHeld) => isHeld());
  }

  /** Resolves once all have ended what they must, with what failed. */
  stopping(stop: StopKind): Promise<readonly unknown[]> {
    return failuresOf(this.#stopping.map(async (listener) => listener(stop)));
  }

  /** Resolves once all have followed the run to its end, with what failed. */
  stopped(): Promise<readonly unknown[]> {
    return failuresOf(this.#stopped.map(async (listener) => listener()));
  }
}

async function failuresOf(ends: readonly Promise<void>[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(ends);
  return settled.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
}
