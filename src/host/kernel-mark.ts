import { createHash } from "node:crypto";
import type { ProcessEntry } from "./system/process-entry.ts";
import { type ProcessIdentity, toOwnerMark } from "./system/process-identity.ts";

// A number that the kernel hands down from a started program to all that it starts: the hard limit of
// file locks, which Linux has not enforced since 2.4.25. No emptied environment, new session or second
// fork loses it; nobody but root can raise it back; whoever wants to can lower it.
//
//   bits 63-56  what tells a mark from a limit that somebody else has set
//   bits 55-32  the outermost owner: a hash of its pid, start time and boot
//   bits 31-20  the program among those of that owner
//   bits 19-0   all ones; less for what a Troupe below that program starts
//
// M1 A mark is never above that of the process that gives it: the kernel refuses anything else.
// M2 The outermost owner finds everything below a program by the upper 44 bits, however deep.
// M3 A Troupe below another has only 20 bits of its own, taken by chance, so an equal number counts there
//    only where no environment speaks against it.

const MAGIC = 0x54n;
const MAGIC_SHIFT = 56n;
const OWNER_SHIFT = 32n;
const PROGRAM_SHIFT = 20n;
const PROGRAM_COUNT = 1 << 12;
const INNERMOST = (1n << PROGRAM_SHIFT) - 1n;
const SHOWN_DIGITS = 16;

/** Gives a mark to each program that one owner starts. */
export interface MarkSource {
  /** A mark that no living program of this owner has; undefined when there is none left to give. */
  take(): bigint | undefined;
  /** Lets the mark be given again. */
  giveBack(mark: bigint): void;
}

export interface MarkSourceOptions {
  readonly owner: ProcessIdentity;
  /** The owner's own limit of file locks; undefined when it has none. */
  readonly limit: bigint | undefined;
  /** From 0 up to, and without, 1. */
  readonly random: () => number;
}

/** Marks for the programs of one owner; for a limit that is no mark, there are none. */
export function createMarkSource({ owner, limit, random }: MarkSourceOptions): MarkSource {
  const taken = new Set<bigint>();
  const propose =
    limit === undefined
      ? proposeOutermost(owner, Math.floor(random() * PROGRAM_COUNT))
      : proposeBelow(limit, random);
  return {
    take: () => {
      for (let attempt = 0; attempt < PROGRAM_COUNT; attempt += 1) {
        const mark = propose();
        if (mark === undefined) return undefined;
        if (taken.has(mark)) continue;
        taken.add(mark);
        return mark;
      }
      return undefined;
    },
    giveBack: (mark) => void taken.delete(mark),
  };
}

/** The mark that a process carries; undefined for one that has none, or another limit. */
export function markOf(entry: ProcessEntry): bigint | undefined {
  const limit = entry.lockLimit();
  return limit !== undefined && isMark(limit) ? limit : undefined;
}

/** Whether a limit of file locks is a mark. */
export function isMark(limit: bigint): boolean {
  return limit >> MAGIC_SHIFT === MAGIC;
}

/** Whether a mark was given by an outermost owner, not by a Troupe below a program of another. */
export function isOutermost(mark: bigint): boolean {
  return (mark & INNERMOST) === INNERMOST;
}

/** Whether a process that carries `found` came from the program that was given `mark`, as far as marks tell (M2, M3). */
export function descendsFrom(found: bigint, mark: bigint): boolean {
  if (!isOutermost(mark)) return found === mark;
  return found >> PROGRAM_SHIFT === mark >> PROGRAM_SHIFT;
}

/** What the marks of all programs of one outermost owner begin with. */
export function ownerOfMark(mark: bigint): bigint {
  return mark >> OWNER_SHIFT;
}

/** The number that `ownerOfMark` has for this owner. Different ones share it once in 16 million pairs. */
export function ownerNumber(owner: ProcessIdentity): bigint {
  const hash = createHash("sha256").update(toOwnerMark(owner)).digest().readUIntBE(0, 3);
  return (MAGIC << (MAGIC_SHIFT - OWNER_SHIFT)) | BigInt(hash);
}

/** How a mark is shown to people. */
export function showMark(mark: bigint): string {
  return mark.toString(16).padStart(SHOWN_DIGITS, "0");
}

/** The mark that is shown so; undefined for any other text. */
export function fromShownMark(shown: string): bigint | undefined {
  return /^[0-9a-f]{16}$/.test(shown) ? BigInt(`0x${shown}`) : undefined;
}

/** Counts down from a number met by chance, so that owners who share a hash rarely share a mark. */
function proposeOutermost(owner: ProcessIdentity, first: number): () => bigint {
  const base = ownerNumber(owner) << OWNER_SHIFT;
  let program = first;
  return () => {
    program = program === 0 ? PROGRAM_COUNT - 1 : program - 1;
    return base | (BigInt(program) << PROGRAM_SHIFT) | INNERMOST;
  };
}

function proposeBelow(limit: bigint, random: () => number): () => bigint | undefined {
  const above = limit & INNERMOST;
  // A limit that somebody else has set cannot be raised, and below it nothing could be told from it.
  if (!isMark(limit) || above === 0n) return () => undefined;
  return () => limit - above + BigInt(Math.floor(random() * Number(above)));
}
