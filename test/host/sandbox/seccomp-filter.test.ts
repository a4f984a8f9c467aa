import { endianness } from "node:os";
import { expect, test } from "vitest";
import { REFUSED_CALLS, seccompFilter } from "../../../src/host/sandbox/seccomp-filter.ts";

const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;
const ALLOWED = 0x7fff0000;
const ENDED = 0x80000000;
const NO_SUCH_CALL = 0x00050000 + 38;
const NO_SUCH_FAMILY = 0x00050000 + 97;

interface Call {
  readonly machine: number;
  readonly number: number;
  /** Low and high half of the first argument. */
  readonly argument?: readonly [number, number];
}

/** What the kernel would do with a call: the four instructions of its machine that the filter uses. */
function verdictOf(filter: Buffer, { machine, number, argument = [0, 0] }: Call): number {
  const data = new Map([
    [0, number],
    [4, machine],
    [16, argument[0]],
    [20, argument[1]],
  ]);
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const [code, yes, no] = [0, 2, 3].map((offset) =>
      offset === 0 ? filter.readUInt16LE(at * 8) : filter.readUInt8(at * 8 + offset),
    );
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x06) return value;
    if (code === 0x20) loaded = data.get(value) ?? Number.NaN;
    else at += (code === 0x15 ? loaded === value : loaded >= value) ? (yes ?? 0) : (no ?? 0);
  }
  throw new Error("a filter ends with a verdict");
}

function filterFor(machine: string, unixSockets = false): Buffer {
  const filter = seccompFilter(unixSockets, machine);
  if (filter === undefined) throw new Error(`no filter for ${machine}`);
  return filter;
}

const MACHINES = [
  { name: "x64", machine: X64, socket: 41, socketpair: 53 },
  { name: "arm64", machine: ARM64, socket: 198, socketpair: 199 },
] as const;

test.each(MACHINES)(
  "on $name only families of sockets that the network namespace bounds can be made [T15]",
  ({ name, machine, socket, socketpair }) => {
    const filter = filterFor(name);
    const made = (family: number, high = 0) =>
      verdictOf(filter, { machine, number: socket, argument: [family, high] });
    expect([2, 10, 16].map((family) => made(family))).toEqual([ALLOWED, ALLOWED, ALLOWED]);
    // Unix, packets, the kernel's ciphers, the host of a virtual machine, and what comes later.
    for (const family of [0, 1, 17, 38, 40, 44, 99, 0xffffffff])
      expect(made(family)).toBe(NO_SUCH_FAMILY);
    // The kernel looks at the lower half only, so that is what counts.
    expect(made(1, 1)).toBe(NO_SUCH_FAMILY);
    expect(verdictOf(filter, { machine, number: socketpair, argument: [1, 0] })).toBe(ALLOWED);
    const sharing = filterFor(name, true);
    expect(verdictOf(sharing, { machine, number: socket, argument: [1, 0] })).toBe(ALLOWED);
    expect(verdictOf(sharing, { machine, number: socket, argument: [40, 0] })).toBe(NO_SUCH_FAMILY);
  },
);

test.each(MACHINES)(
  "on $name what goes around the filter is refused, with the numbers of any machine [T15]",
  ({ name, machine }) => {
    const filter = filterFor(name);
    const column = name;
    for (const call of REFUSED_CALLS)
      expect([call.call, verdictOf(filter, { machine, number: call[column] })]).toEqual([
        call.call,
        NO_SUCH_CALL,
      ]);
    const [other] = MACHINES.filter((each) => each.name !== name);
    for (const foreign of [other?.machine ?? 0, 0x40000003, 0])
      expect(verdictOf(filter, { machine: foreign, number: 0 })).toBe(ENDED);
    // The second table of calls that a kernel for x64 may have begins here.
    expect(verdictOf(filter, { machine, number: 0x40000029 })).toBe(NO_SUCH_CALL);
    expect(verdictOf(filter, { machine, number: 0 })).toBe(ALLOWED);
  },
);

test("no filter is made up for a machine that nobody looked at", () => {
  expect(seccompFilter(false, "riscv64")).toBeUndefined();
  expect(endianness()).toBe("LE");
});
