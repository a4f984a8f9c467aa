import { descendsFrom, isOutermost, markOf, ownerNumber, ownerOfMark } from "./kernel-mark.ts";
import type { ProcessEntry, ProcessListing, ProcessRef } from "./system/process-entry.ts";
import { fromOwnerMark } from "./system/process-identity.ts";

/** Everything that came from one started program. */
export interface ProcessFamily {
  /** The program itself; its pid is the group and session that it was started in. */
  readonly leader: ProcessRef;
  /** Random text in TROUPE_MARK of all its descendants. */
  readonly mark: string;
  /** What its leader was started with, on systems that hand such a number down. */
  readonly kernelMark: bigint | undefined;
}

/**
 * The living members of a family: its group, its session, who carries its mark, and all their
 * descendants. Nothing that started before the leader, and nothing of a group whose number was reused.
 */
export function familyMembers(
  listing: ProcessListing,
  family: ProcessFamily,
): readonly ProcessEntry[] {
  const { leader } = family;
  const born = Number(leader.startedAt);
  // A pid cannot be given away again while a group or session of that number has members.
  const isReused = listing.entries.some(
    (entry) => entry.pid === leader.pid && entry.startedAt !== leader.startedAt,
  );
  const roots = listing.entries.filter((entry) => {
    if (entry.isDead || Number(entry.startedAt) < born) return false;
    if (!isReused && (entry.group === leader.pid || entry.session === leader.pid)) return true;
    return carriesMark(entry, family);
  });
  return withDescendants(listing, roots);
}

/** Living processes that `owner` (a value of TROUPE_OWNER) started, and their descendants. */
export function ownedMembers(listing: ProcessListing, owner: string): readonly ProcessEntry[] {
  const identity = fromOwnerMark(owner);
  const number = identity === undefined ? undefined : ownerNumber(identity);
  const roots = listing.entries.filter((entry) => {
    if (entry.isDead) return false;
    const mark = markToJudge(entry);
    if (mark !== undefined && ownerOfMark(mark) === number) return true;
    return entry.variable("TROUPE_OWNER") === owner;
  });
  return withDescendants(listing, roots);
}

/** The roots and every living process below them, without this process itself. */
export function withDescendants(
  listing: ProcessListing,
  roots: readonly ProcessEntry[],
): readonly ProcessEntry[] {
  // The common case by far: a program that left nothing behind.
  if (roots.length === 0) return [];
  const children = Map.groupBy(listing.entries, (entry) => entry.parent);
  const members = new Map(roots.map((entry) => [entry.pid, entry]));
  for (const member of members.values()) {
    for (const child of children.get(member.pid) ?? []) {
      if (!child.isDead && !members.has(child.pid)) members.set(child.pid, child);
    }
  }
  members.delete(process.pid);
  return [...members.values()];
}

/** The mark of a program started by a process that itself carries `outer`. */
export function nestMark(outer: string | undefined, mark: string): string {
  return outer === undefined || outer === "" ? mark : `${outer}.${mark}`;
}

function carriesMark(entry: ProcessEntry, { mark, kernelMark }: ProcessFamily): boolean {
  const found = kernelMark === undefined ? undefined : markToJudge(entry);
  if (found === undefined || kernelMark === undefined || !descendsFrom(found, kernelMark))
    return namesMark(entry, mark) ?? false;
  // Below another Troupe two programs may have got the same number, see M3 of marks.
  return isOutermost(kernelMark) || (namesMark(entry, mark) ?? true);
}

/** Undefined when the environment tells nothing. */
function namesMark(entry: ProcessEntry, mark: string): boolean | undefined {
  return entry.variable("TROUPE_MARK")?.split(".").includes(mark);
}

/** Whoever is not root can end only processes of its own user, so it does not take on others. */
function markToJudge(entry: ProcessEntry): bigint | undefined {
  const mark = markOf(entry);
  return mark !== undefined && (process.getuid?.() === 0 || entry.isOwn()) ? mark : undefined;
}
