import type { Journal, RunStore } from "../../src/contracts/ports/store.ts";

/** When an owner dies: at its so-many-th commit from now on, just before or just after that is durable. */
export interface Death {
  readonly atCommit: number;
  readonly isWritten: boolean;
}

/** A store whose owner dies as a killed process does: from one commit on it never hears of the disk again. */
export interface MortalStore extends RunStore {
  /** Sets the end of whoever owns the run now. */
  doom(death: Death): void;
  /** Whether the owner has died since the last birth. */
  readonly isDead: boolean;
  /** Takes the end of the owner back, if it has not come. */
  spare(): void;
  /** Lets the next owner live. */
  revive(): void;
  /** Closes what dead owners left open. */
  close(): void;
}

/** A mortal store over any other. */
export function createMortalStore(store: RunStore): MortalStore {
  const opened: Journal[] = [];
  let life = { commitsLeft: Infinity, isWritten: false, isDead: false };
  const watch = (journal: Journal): Journal => {
    const mine = life;
    opened.push(journal);
    const append: Journal["append"] = async (batch) => {
      mine.commitsLeft -= 1;
      if (mine.commitsLeft === 0 && mine.isWritten) await journal.append(batch);
      if (mine.commitsLeft > 0) return journal.append(batch);
      mine.isDead = true;
      return new Promise(() => {});
    };
    return new Proxy(journal, {
      get: (target, name) => {
        if (name === "append") return append;
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  };
  return {
    create: (run) => watch(store.create(run)),
    open: (run, mode) => watch(store.open(run, mode)),
    follow: (run, afterSeq) => store.follow(run, afterSeq),
    list: () => store.list(),
    has: (run) => store.has(run),
    adopt: (run) => store.adopt(run),
    remove: (run) => store.remove(run),
    doom: ({ atCommit, isWritten }) => {
      life.commitsLeft = Math.min(life.commitsLeft, atCommit);
      life.isWritten = isWritten;
    },
    spare: () => {
      life.commitsLeft = Infinity;
    },
    get isDead() {
      return life.isDead;
    },
    close: () => {
      for (const journal of opened) journal.close();
    },
    revive: () => {
      life = { commitsLeft: Infinity, isWritten: false, isDead: false };
    },
  };
}
