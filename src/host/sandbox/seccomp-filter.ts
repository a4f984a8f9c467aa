import { arch } from "node:os";

// A filter of the kernel for calls: a program of its own small machine (classic BPF), run at every call.
// F1: what the table does not know is allowed; a call in the numbers of another machine ends the process.
// F2: of sockets only the families that the network namespace bounds can be made.

/** A call that a confined program is refused, and why. */
interface RefusedCall {
  readonly call: string;
  readonly x64: number;
  readonly arm64: number;
  readonly reason: string;
}

/** Refused as if the kernel did not have them: programs then go another way. */
export const REFUSED_CALLS: readonly RefusedCall[] = [
  ...[
    refused("io_uring_setup", [425, 425], "a ring makes and connects sockets without a call"),
    refused("io_uring_enter", [426, 426], "the same, on a ring that was handed over"),
    refused("io_uring_register", [427, 427], "the same, on a ring that was handed over"),
  ],
  ...[
    refused("add_key", [248, 217], "key rings are the user's, whatever the namespace"),
    refused("request_key", [249, 218], "starts a program of the system outside"),
    refused("keyctl", [250, 219], "reads the keys that the user's session keeps"),
  ],
  ...[
    refused("bpf", [321, 280], "gives the kernel programs"),
    refused("perf_event_open", [298, 241], "looks at what others do"),
    refused("userfaultfd", [323, 282], "is there to win races in the kernel"),
  ],
];

/** Families of sockets that stay inside: IPv4, IPv6 and what a program learns its own interfaces by. */
const BOUNDED_FAMILIES: readonly number[] = [2, 10, 16];
/** Sockets with a name in the file system, or with an abstract one. */
const UNIX_FAMILY = 1;

interface Machine {
  readonly audit: number;
  readonly socket: number;
  readonly of: "x64" | "arm64";
}

const MACHINES: { readonly [name: string]: Machine | undefined } = {
  x64: { audit: 0xc000003e, socket: 41, of: "x64" },
  arm64: { audit: 0xc00000b7, socket: 198, of: "arm64" },
};

// Where struct seccomp_data has them; the upper half of an argument does not count for an int.
const NUMBER_AT = 0;
const MACHINE_AT = 4;
const FIRST_ARGUMENT_AT = 16;
// Codes of instructions: load a word, jump if equal, jump if at least, return.
const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const END_PROCESS = 0x80000000;
const REFUSE_WITH = 0x00050000;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;
/** The numbers of a second table of calls that a kernel for x64 may have. */
const X32 = 0x40000000;

type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, value: number];

/**
 * The filter for this machine as bubblewrap takes it; undefined for machines that it is not known for.
 * `unixSockets`: whether unix sockets can be made. Both ends of a pair that is made at once always can.
 */
export function seccompFilter(unixSockets: boolean, machine: string = arch()): Buffer | undefined {
  const known = MACHINES[machine];
  if (known === undefined) return undefined;
  const families = unixSockets ? [UNIX_FAMILY, ...BOUNDED_FAMILIES] : BOUNDED_FAMILIES;
  return encode(program(known, families));
}

function program(machine: Machine, families: readonly number[]): readonly Instruction[] {
  const refusedCalls = REFUSED_CALLS.flatMap((call): readonly Instruction[] => [
    [IF_EQUAL, 0, 1, call[machine.of]],
    give(REFUSE_WITH | ENOSYS),
  ]);
  const allowedFamilies = families.flatMap((family): readonly Instruction[] => [
    [IF_EQUAL, 0, 1, family],
    give(ALLOW),
  ]);
  return [
    load(MACHINE_AT),
    [IF_EQUAL, 1, 0, machine.audit],
    give(END_PROCESS),
    load(NUMBER_AT),
    [IF_AT_LEAST, 0, 1, X32],
    give(REFUSE_WITH | ENOSYS),
    ...refusedCalls,
    [IF_EQUAL, 1, 0, machine.socket],
    give(ALLOW),
    load(FIRST_ARGUMENT_AT),
    ...allowedFamilies,
    give(REFUSE_WITH | EAFNOSUPPORT),
  ];
}

function refused(
  call: string,
  [x64, arm64]: readonly [number, number],
  reason: string,
): RefusedCall {
  return { call, x64, arm64, reason };
}

function load(at: number): Instruction {
  return [LOAD, 0, 0, at];
}

function give(verdict: number): Instruction {
  return [RETURN, 0, 0, verdict >>> 0];
}

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, whenTrue, whenFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
