import type { Machine } from "../../src/app/machine/machine.ts";
import type { AppendBatch, Journal } from "../../src/contracts/ports/store.ts";

/** The append at which a process dies. */
export interface Death {
  readonly when: "before" | "after";
  /** Counts the appends of this process from 1. */
  readonly append: number;
}

/** The machine with a store whose writer is killed at one of its appends: for systems without strace. */
export function withDeadlyStore(machine: Machine, death: Death): Machine {
  const { store } = machine;
  let appends = 0;
  const die = () => process.kill(process.pid, "SIGKILL");
  const deadly = (journal: Journal): Journal =>
    new Proxy(journal, {
      get: (target, name) => {
        if (name === "append")
          return async (batch: AppendBatch) => {
            appends += 1;
            if (appends === death.append && death.when === "before") die();
            await target.append(batch);
            if (appends === death.append) die();
          };
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  return {
    ...machine,
    store: {
      ...store,
      create: (run) => deadly(store.create(run)),
      open: (run, mode) =>
        mode === "write" ? deadly(store.open(run, mode)) : store.open(run, mode),
      follow: (run, afterSeq) => store.follow(run, afterSeq),
      list: () => store.list(),
      has: (run) => store.has(run),
      remove: (run) => store.remove(run),
    },
  };
}
