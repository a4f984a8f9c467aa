import type { ProcessRef, ProcessTable } from "./process-entry.ts";

/** Names one process among all that ever ran on any start of this machine. */
export interface ProcessIdentity extends ProcessRef {
  readonly bootId: string;
}

/** The identity of this process. */
export function currentProcessIdentity(table: ProcessTable): ProcessIdentity {
  const startedAt = table.find(process.pid)?.startedAt ?? "0";
  return { pid: process.pid, startedAt, bootId: table.bootId() };
}

/** Whether exactly this process still runs; false for a zombie and for another one with its pid. */
export function isAlive(table: ProcessTable, wanted: ProcessRef): boolean {
  const entry = table.find(wanted.pid);
  return entry !== undefined && !entry.isDead && entry.startedAt === wanted.startedAt;
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
