import { sha256 } from "../../foundation/hash.ts";
import type { ProcessRef, ProcessTable } from "./process-entry.ts";

// Owns what makes a process the same process. Leases, claims, marks and everything else that names an owner uses it.
// P1: a pid means something only to processes of the same machine, boot and pid namespace (see isSameView).
// P2: of an owner elsewhere nothing is known but its signs of life (owner-beats.ts). It is never signalled.

/** Names one process among all that ever ran, on whatever machine. */
export interface ProcessIdentity extends ProcessRef {
  /** Differs for each boot and each pid namespace, see ProcessTable. */
  readonly bootId: string;
  /** Name of its machine; absent where it is not known, as in what older versions stored. */
  readonly host?: string;
}

/** Process state as far as this process can know it. `elsewhere`: the process table says nothing about it. */
export type Liveness = "alive" | "gone" | "elsewhere";

type View = Pick<ProcessIdentity, "bootId" | "host">;

/** The identity of this process. */
export function currentProcessIdentity(table: ProcessTable): Required<ProcessIdentity> {
  const startedAt = table.find(process.pid)?.startedAt ?? "0";
  return { pid: process.pid, startedAt, bootId: table.bootId(), host: table.host() };
}

/** True if two processes share machine, boot and pid namespace, so that a pid of one means the same to the other. */
export function isSameView(one: View, other: View): boolean {
  if (one.bootId !== other.bootId) return false;
  // A boot id is drawn at random, but a virtual machine that was copied while it ran has that of the original.
  return one.host === undefined || other.host === undefined || one.host === other.host;
}

/** Returns what is known of a process. Only `gone` and `alive` come from the process table. */
export function livenessOf(table: ProcessTable, wanted: ProcessIdentity): Liveness {
  if (!isSameView({ bootId: table.bootId(), host: table.host() }, wanted)) return "elsewhere";
  return isAlive(table, wanted) ? "alive" : "gone";
}

/** Says where an owner is, for people: "on host b". Undefined for one whose pid means something here. */
export function describeElsewhere(table: ProcessTable, owner: View): string | undefined {
  const own = { bootId: table.bootId(), host: table.host() };
  if (isSameView(own, owner)) return undefined;
  if (owner.host !== undefined && owner.host !== own.host) return `on host ${owner.host}`;
  // The boot id ends in the namespace.
  const [ownBoot] = own.bootId.split(".");
  const [boot] = owner.bootId.split(".");
  const where = boot === ownBoot ? "in another container" : "in another boot or container";
  return owner.host === undefined ? `${where} or machine` : `on host ${owner.host}, ${where}`;
}

/** Whether exactly this process still runs; false for a zombie and for another one with its pid. */
export function isAlive(table: ProcessTable, wanted: ProcessRef): boolean {
  const entry = table.find(wanted.pid);
  return entry !== undefined && !entry.isDead && entry.startedAt === wanted.startedAt;
}

/** Eight hex digits for the names of files, different between processes whose pids mean different things. */
export function viewName(table: ProcessTable): string {
  return sha256(`${table.bootId()} ${table.host()}`).slice(0, 8);
}

/** Reading, in ms, of a clock that all processes of one boot share and that never runs backwards. */
export function bootClockMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** The value of TROUPE_OWNER for processes that this one starts. */
export function toOwnerMark(identity: ProcessIdentity): string {
  return `${identity.pid}:${identity.startedAt}:${identity.bootId}`;
}

/** The owner that a value of TROUPE_OWNER names; undefined for anything else. */
export function fromOwnerMark(mark: string): ProcessIdentity | undefined {
  const [pid, startedAt, bootId, ...rest] = mark.split(":");
  if (pid === undefined || startedAt === undefined || bootId === undefined) return undefined;
  if (rest.length > 0 || !/^\d+$/.test(pid) || !/^\d+$/.test(startedAt)) return undefined;
  return { pid: Number(pid), startedAt, bootId };
}
