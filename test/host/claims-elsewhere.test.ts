import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/foundation/clock.ts";
import { takeClaim } from "../../src/host/exclusive-claim.ts";
import { openHostAccounts } from "../../src/host/host-accounts.ts";
import { openHostSlots } from "../../src/host/host-slots.ts";
import { OWNER_TTL_MS, OwnerBeats } from "../../src/host/owner-beats.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import type { ProcessTable } from "../../src/host/system/process-entry.ts";
import {
  currentProcessIdentity,
  describeElsewhere,
  livenessOf,
} from "../../src/host/system/process-identity.ts";
import { createSqliteStore } from "../../src/journal/sqlite-store.ts";

const real = createProcessTable();
const here: ProcessTable = { ...real, bootId: () => "boot-1.100", host: () => "a" };

/** Other views of processes; in each of them a pid means something else than here. */
const ELSEWHERE = [
  { name: "another host", table: { ...real, bootId: () => "boot-2.100", host: () => "b" } },
  {
    name: "another boot of the same host",
    table: { ...real, bootId: () => "boot-2.100", host: () => "a" },
  },
  {
    name: "another pid namespace",
    table: { ...real, bootId: () => "boot-1.200", host: () => "a" },
  },
  {
    name: "a copied virtual machine",
    table: { ...real, bootId: () => "boot-1.100", host: () => "b" },
  },
] as const;

interface Party {
  readonly directory: string;
  readonly table: ProcessTable;
  readonly beats: OwnerBeats;
  /** The clock of its boot. */
  readonly nowMs: () => number;
  /** A process of the table that is not alive, instead of this one. */
  readonly isDead?: boolean;
}

function identityOf({ table, isDead }: Party) {
  const own = currentProcessIdentity(table);
  return isDead === true ? { ...own, pid: 99_999_999 } : own;
}

/** Takes the only place of each kind; false where another has it. */
const CLAIMS = {
  "a name": (party: Party) => {
    const path = join(party.directory, "host.db");
    const identity = identityOf(party);
    const holder = `${identity.bootId} ${identity.host} ${identity.pid}`;
    const claim = takeClaim({ path, name: "n", holder, identity, ...party });
    if (claim.status === "taken") onTestFinished(() => claim.release());
    return claim.status === "taken";
  },
  "a slot": async (party: Party) => {
    const path = join(party.directory, "host.db");
    const identity = identityOf(party);
    const slots = openHostSlots({ path, places: 1, identity, clock: systemClock, ...party });
    onTestFinished(() => slots.close());
    const stop = new AbortController();
    const taking = slots.acquire(stop.signal).then(
      () => true,
      () => false,
    );
    stop.abort(new Error("enough"));
    return taking;
  },
  "an account": (party: Party) => {
    const path = join(party.directory, "host.db");
    const accounts = openHostAccounts({ path, identity: identityOf(party), ...party });
    onTestFinished(() => accounts.close());
    const { bootId, host, pid } = identityOf(party);
    const id = `${bootId} ${host} ${pid}`;
    return accounts.update("lab", (record) => {
      const isFree = record.turns.length === 0;
      const turns = isFree ? [{ id, enteredMs: 1 }] : record.turns;
      return { record: { ...record, turns }, result: isFree };
    });
  },
  "a lease": (party: Party) => {
    const { directory, table, beats } = party;
    const store = createSqliteStore(join(directory, "runs"), { beats });
    const journal = store.has("run-a") ? store.open("run-a", "write") : store.create("run-a");
    onTestFinished(() => journal.close());
    const { startedAt, ...identity } = identityOf(party);
    const nowMs = party.nowMs();
    const claim = { ...identity, pidStartedAt: startedAt, socketPath: "", command: "c", nowMs };
    const isGone = (holder: { pid: number; pidStartedAt: string; bootId: string }) =>
      livenessOf(table, { ...holder, startedAt: holder.pidStartedAt }) === "gone";
    const taken = journal.takeLease(claim, { ttlMs: OWNER_TTL_MS, isGone }).status === "taken";
    if (taken) journal.renewLease(journal.leaseHolder()?.epoch ?? 0, nowMs);
    return taken;
  },
} as const;

const PAIRS = Object.entries(CLAIMS).flatMap(([claim, take]) =>
  ELSEWHERE.map(({ name, table }) => ({ claim, take, name, table })),
);

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-elsewhere-"));
  mkdirSync(join(directory, "runs"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test.each(PAIRS)(
  "$claim that is held in $name is free after one silent TTL of the reader's clock, whatever process has that pid here [ENG-20.claims, ENG-20.identity]",
  async ({ take, table }) => {
    const directory = newDirectory();
    const times = { there: 5_000_000, here: 1000 };
    const there = () => times.there;
    const nowMs = () => times.here;
    // In the reader's process table its pid belongs to nobody.
    const owner = { directory, table, beats: new OwnerBeats(there), nowMs: there, isDead: true };
    const reader = { directory, table: here, beats: new OwnerBeats(nowMs), nowMs };
    expect(await take(owner)).toBe(true);
    expect(await take(reader)).toBe(false);
    times.here += OWNER_TTL_MS - 1;
    expect(await take(reader)).toBe(false);
    // A sign of life on a clock that has nothing to do with the reader's.
    times.there += 3000;
    for (const place of [directory, join(directory, "runs")])
      owner.beats.beat(place, identityOf(owner), times.there);
    expect(await take(reader)).toBe(false);
    times.here += OWNER_TTL_MS - 1;
    expect(await take(reader)).toBe(false);
    times.here += 1;
    expect(await take(reader)).toBe(true);
  },
);

test.each(Object.entries(CLAIMS))(
  "%s of a process that is gone here is free at once [ENG-20.claims]",
  async (_claim, take) => {
    const directory = newDirectory();
    const nowMs = () => 1000;
    const party = () => ({ directory, table: here, beats: new OwnerBeats(nowMs), nowMs });
    expect(await take({ ...party(), isDead: true })).toBe(true);
    expect(await take(party())).toBe(true);
  },
);

test.each(ELSEWHERE)(
  "of a process in $name nothing is known, and people are shown where it is [ENG-20.identity]",
  ({ table }) => {
    const owner = currentProcessIdentity(table);
    expect(livenessOf(here, owner)).toBe("elsewhere");
    expect(livenessOf(table, owner)).toBe("alive");
    expect(livenessOf(table, { ...owner, startedAt: "1" })).toBe("gone");
    expect(describeElsewhere(table, owner)).toBeUndefined();
    expect(describeElsewhere(here, owner)).toMatch(/^on host [ab]\b/);
  },
);
