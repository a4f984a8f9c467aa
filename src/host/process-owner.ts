import { systemClock } from "../foundation/clock.ts";
import { createFamilyWatch, type FamilyWatch } from "./family-watch.ts";
import { createMarkSource, type MarkSource } from "./kernel-mark.ts";
import { createReaper, type Reaper } from "./reaper.ts";
import type { ProcessTable } from "./system/process-entry.ts";
import { currentProcessIdentity, toOwnerMark } from "./system/process-identity.ts";

/** This process as the one that its programs must not outlive. */
export interface ProcessOwner {
  /** The value of TROUPE_OWNER for its programs. */
  readonly mark: string;
  /** Marks of the kernel for its programs; undefined where the system has none. */
  readonly kernelMarks: MarkSource | undefined;
  /** Watches what its programs take of the machine, with one look at it for all of them. */
  readonly families: FamilyWatch;
  /** The one reaper of this process, for one more user. It goes when its last user has closed it. */
  hireReaper(): Reaper;
}

// The system knows one owner per process, however many hosts, machines or runs there are in it: its
// limits, its pid and its death are shared by all of them. So this is the one state kept by a module.
let owner: ProcessOwner | undefined;

/** This process as an owner, the same at every call. `carriedMark`: its own TROUPE_MARK. */
export function thisOwner(table: ProcessTable, carriedMark: string | undefined): ProcessOwner {
  owner ??= createProcessOwner(table, carriedMark);
  return owner;
}

function createProcessOwner(table: ProcessTable, carriedMark: string | undefined): ProcessOwner {
  const identity = currentProcessIdentity(table);
  const limit = table.find(process.pid)?.lockLimit();
  const mark = toOwnerMark(identity);
  const { random } = Math;
  const reaper = createReaper(mark, carriedMark);
  let userCount = 0;
  return {
    mark,
    kernelMarks: table.hasLockLimits
      ? createMarkSource({ owner: identity, limit, random })
      : undefined,
    families: createFamilyWatch(table, systemClock),
    hireReaper: () => {
      userCount += 1;
      let isHired = true;
      return {
        ...reaper,
        close: async () => {
          if (!isHired) return;
          isHired = false;
          userCount -= 1;
          if (userCount === 0) await reaper.close();
        },
      };
    },
  };
}
