import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { parsePsListing } from "../../src/host/darwin-process-table.ts";
import { endProcesses } from "../../src/host/end-processes.ts";
import { createMarkSource } from "../../src/host/kernel-mark.ts";
import { endLeftovers, findLeftovers, findUnmarked } from "../../src/host/leftovers.ts";
import { familyMembers, nestMark } from "../../src/host/process-family.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import type {
  ProcessEntry,
  ProcessListing,
  ProcessTable,
} from "../../src/host/system/process-entry.ts";
import {
  bootClockMs,
  currentProcessIdentity,
  fromOwnerMark,
  isAlive,
  toOwnerMark,
} from "../../src/host/system/process-identity.ts";

const leader = { pid: 100, startedAt: "50" };

function entry(
  pid: number,
  more: Partial<ProcessEntry>,
  env: Record<string, string> = {},
): ProcessEntry {
  return {
    pid,
    startedAt: "60",
    parent: 1,
    group: pid,
    session: pid,
    isDead: false,
    memoryBytes: () => 0,
    ownMemoryBytes: () => 0,
    isOwn: () => true,
    variable: (name) => env[name],
    lockLimit: () => undefined,
    sharesPids: () => true,
    ...more,
  };
}

function membersOf(...entries: ProcessEntry[]): number[] {
  const listing: ProcessListing = { entries, isComplete: true, hasStarting: false };
  return familyMembers(listing, { leader, mark: "abc", kernelMark: undefined }).map(
    (member) => member.pid,
  );
}

describe("a family", () => {
  test("is its leader's group and session, who carries its mark, and all their descendants", () => {
    expect(
      membersOf(
        entry(100, { startedAt: "50" }),
        entry(101, { group: 100 }),
        entry(102, { session: 100 }),
        entry(103, {}, { TROUPE_MARK: "outer.abc.inner" }),
        entry(104, { parent: 103 }),
        entry(105, { parent: 104 }),
        entry(106, {}, { TROUPE_MARK: "abcd" }),
        entry(107, {}),
      ),
    ).toEqual([100, 101, 102, 103, 104, 105]);
  });

  test("has no zombies and nobody who was there before its leader", () => {
    const mark = { TROUPE_MARK: "abc" };
    expect(
      membersOf(entry(101, { startedAt: "49" }, mark), entry(102, { isDead: true }, mark)),
    ).toEqual([]);
  });

  test("does not take the group of a stranger that got its leader's pid [P11]", () => {
    expect(membersOf(entry(100, { startedAt: "900" }), entry(101, { group: 100 }))).toEqual([]);
  });

  test("can be found by the mark of the family around it", () => {
    expect(nestMark(undefined, "b")).toBe("b");
    expect(nestMark("a", "b")).toBe("a.b");
  });
});

describe("an identity", () => {
  const table = createProcessTable();

  test("names a process that lives, and no other with its pid", () => {
    const identity = currentProcessIdentity(table);
    expect(identity.pid).toBe(process.pid);
    expect(isAlive(table, identity)).toBe(true);
    expect(isAlive(table, { ...identity, startedAt: "1" })).toBe(false);
    expect(isAlive(table, { pid: 4_000_000, startedAt: "1" })).toBe(false);
  });

  test("survives being written into a mark", () => {
    // A mark is read off a process of this machine, so it does not name one.
    const { host: _here, ...identity } = currentProcessIdentity(table);
    expect(fromOwnerMark(toOwnerMark(identity))).toEqual(identity);
    for (const mark of ["", "1", "1:2", "x:2:b", "1:2:b:c"])
      expect(fromOwnerMark(mark)).toBeUndefined();
  });

  test("the clock of the boot never runs backwards", () => {
    const first = bootClockMs();
    expect(bootClockMs()).toBeGreaterThanOrEqual(first);
  });

  test("a process that has ended but was not noticed by its parent is not alive", async () => {
    const child = spawn("true");
    const started = table.find(child.pid ?? 0)?.startedAt ?? "0";
    const untilMs = performance.now() + 2000;
    // The event loop stands still, so nobody takes the zombie away.
    while (performance.now() < untilMs && table.find(child.pid ?? 0)?.isDead !== true);
    expect(table.find(child.pid ?? 0)).toMatchObject({ isDead: true, startedAt: started });
    expect(isAlive(table, { pid: child.pid ?? 0, startedAt: started })).toBe(false);
    await once(child, "exit");
  });
});

describe("ending", () => {
  test("a process with the pid but not the start time of the one that was found gets no signal [P11]", async () => {
    const table = createProcessTable();
    // A group of its own, so that a wrong signal would not reach the tests.
    const stranger = spawn("sleep", ["300"], { detached: true });
    const found = table.find(stranger.pid ?? 0);
    if (found === undefined) throw new Error("sleep did not start");
    // The list was made before the pid was given away again.
    const lists = [[{ ...found, startedAt: "1" }], []];
    const stale: ProcessTable = {
      ...table,
      list: () =>
        Promise.resolve({ entries: lists.shift() ?? [], isComplete: true, hasStarting: false }),
    };
    await endProcesses({
      table: stale,
      find: (listing) => listing.entries,
      group: found.group,
      graceMs: 0,
    });
    expect(isAlive(table, found)).toBe(true);
    const gone = once(stranger, "exit");
    stranger.kill("SIGKILL");
    await gone;
  });

  test.each([
    ["a process was lost halfway", { entries: [], isComplete: false, hasStarting: false }],
    ["a process has just begun a program", { entries: [], isComplete: true, hasStarting: true }],
    [
      "a process has just ended",
      { entries: [entry(7, { isDead: true })], isComplete: true, hasStarting: false },
    ],
  ])("a listing in which %s does not prove that nothing is left [P11]", async (_, doubtful) => {
    const lists = [doubtful, { entries: [], isComplete: true, hasStarting: false }];
    let listCount = 0;
    const moving: ProcessTable = {
      ...createProcessTable(),
      list: () => Promise.resolve(lists[listCount++] ?? doubtful),
    };
    await endProcesses({ table: moving, find: () => [], graceMs: 0 });
    expect(listCount).toBe(2);
  });

  test("what no signal can end is HOST_PROCESS_SURVIVED with its pids", async () => {
    const table = createProcessTable();
    const undying: ProcessTable = {
      ...table,
      list: () =>
        Promise.resolve({ entries: [entry(4_000_000, {})], isComplete: true, hasStarting: false }),
    };
    const ending = endProcesses({
      table: undying,
      find: (listing) => listing.entries,
      graceMs: 10,
      killMs: 10,
    });
    await expect(ending).rejects.toMatchObject({
      code: "HOST_PROCESS_SURVIVED",
      details: { pids: [4_000_000] },
    });
  });

  test("leftovers are those of this user, this boot and an owner that is gone, told with their run [ENG-6]", async () => {
    const table = createProcessTable();
    const me = currentProcessIdentity(table);
    const gone = { TROUPE_RUN: "run_gone", TROUPE_OWNER: toOwnerMark({ ...me, startedAt: "1" }) };
    const lists = [
      [
        entry(4_000_001, {}, gone),
        entry(4_000_002, { parent: 4_000_001 }),
        entry(4_000_003, {}, { TROUPE_OWNER: toOwnerMark(me) }),
        entry(
          4_000_004,
          {},
          { TROUPE_OWNER: toOwnerMark({ ...me, startedAt: "1", bootId: "other" }) },
        ),
        entry(4_000_005, { isOwn: () => false }, gone),
        entry(4_000_006, {}, { TROUPE_OWNER: "rubbish" }),
      ],
    ];
    const crowd: ProcessTable = {
      ...table,
      list: () =>
        Promise.resolve({ entries: lists.shift() ?? [], isComplete: true, hasStarting: false }),
    };
    expect(await endLeftovers({ table: crowd, graceMs: 10 })).toEqual([
      { pid: 4_000_001, startedAt: "60", run: "run_gone" },
      { pid: 4_000_002, startedAt: "60", run: undefined },
    ]);
  });
});

describe("a mark of the kernel", () => {
  const table = createProcessTable();
  const me = currentProcessIdentity(table);
  const markOfOwner = (owner: typeof me, limit?: bigint) =>
    createMarkSource({ owner, limit, random: () => 0.5 }).take() ?? 0n;
  const gone = { ...me, startedAt: "1" };
  const limited = (limit: bigint) => ({ lockLimit: () => limit });

  test("makes a process part of its family, whatever its environment says [P11]", () => {
    const mark = markOfOwner(me);
    const listing: ProcessListing = {
      entries: [
        entry(101, limited(mark)),
        entry(102, limited(mark), { TROUPE_MARK: "other" }),
        entry(103, limited(markOfOwner(me, mark))),
        entry(104, limited(markOfOwner(gone))),
        entry(105, limited(100n)),
        entry(106, { ...limited(mark), startedAt: "49" }),
      ],
      isComplete: true,
      hasStarting: false,
    };
    const members = familyMembers(listing, { leader, mark: "abc", kernelMark: mark });
    expect(members.map(({ pid }) => pid)).toEqual([101, 102, 103]);
  });

  test("below another Troupe does not take the process of a sibling that got the same number", () => {
    const mark = markOfOwner(me, markOfOwner(gone));
    const listing: ProcessListing = {
      entries: [
        entry(101, limited(mark)),
        entry(102, limited(mark), { TROUPE_MARK: "other" }),
        entry(103, limited(mark), { TROUPE_MARK: "outer.abc" }),
      ],
      isComplete: true,
      hasStarting: false,
    };
    const members = familyMembers(listing, { leader, mark: "abc", kernelMark: mark });
    expect(members.map(({ pid }) => pid)).toEqual([101, 103]);
  });

  test("tells a leftover without its environment, and neither what is in a container nor what has an owner [ENG-6, P11]", async () => {
    const [mark, foreign] = [markOfOwner(gone), { ...gone, startedAt: "2" }];
    const self = table.find(process.pid);
    const entries = [
      entry(4_000_001, limited(mark)),
      entry(4_000_002, { parent: 4_000_001 }),
      entry(4_000_003, limited(markOfOwner(me))),
      entry(4_000_004, { ...limited(mark), sharesPids: () => false }),
      entry(4_000_005, { ...limited(mark), isOwn: () => false }),
      entry(4_000_006, limited(100n)),
      // Its owner had not begun when the list was at its place.
      entry(4_000_007, limited(markOfOwner(foreign))),
      ...(self === undefined ? [] : [self]),
    ];
    const late = entry(process.pid, { startedAt: "2" });
    const lists = [entries, [...entries, late]];
    const crowd: ProcessTable = {
      ...table,
      list: () =>
        Promise.resolve({ entries: lists.shift() ?? [], isComplete: true, hasStarting: false }),
    };
    const found = await findLeftovers(crowd);
    expect(found.map(({ pid }) => pid)).toEqual([4_000_001, 4_000_002]);
  });

  test("that was thrown away leaves a limit behind, by which it is named", async () => {
    const crowd: ProcessTable = {
      ...table,
      list: () =>
        Promise.resolve({
          entries: [
            entry(4_000_001, limited(100n)),
            entry(4_000_002, limited(markOfOwner(me))),
            entry(4_000_003, {}),
          ],
          isComplete: true,
          hasStarting: false,
        }),
    };
    expect(await findUnmarked(crowd)).toEqual([{ pid: 4_000_001, startedAt: "60" }]);
  });
});

test("the listing of macOS is understood, with variables behind the command", () => {
  const text = [
    "  501     1   501   502 S+   Sat Nov 21 21:44:05 2026     sh -c sleep 1 PATH=/bin TROUPE_MARK=ab.cd X=1",
    "  777   501   501     0 Z    Sun Nov  1 01:02:03 2026     (sleep)",
    "",
  ].join("\n");
  const [shell, zombie, ...rest] = parsePsListing(text, 502);
  expect(rest).toEqual([]);
  expect(shell).toMatchObject({ pid: 501, parent: 1, group: 501, isDead: false });
  expect(shell?.startedAt).toBe(String(Date.UTC(2026, 10, 21, 21, 44, 5) / 1000));
  expect([shell?.isOwn(), zombie?.isOwn(), zombie?.isDead]).toEqual([true, false, true]);
  expect([shell?.variable("TROUPE_MARK"), shell?.variable("MARK")]).toEqual(["ab.cd", undefined]);
});
