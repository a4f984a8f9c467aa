import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a program that is started gets at a number from 3 on: a descriptor of this process, a line to it, or nothing. */
export type DescriptorSlot = number | "pipe" | "ignore";

/** Descriptors for one start. */
export interface Descriptors {
  /** From 3 on. */
  readonly slots: readonly DescriptorSlot[];
  /** Closes this process's own ones; once the program is started, it has them itself. Idempotent. */
  close(): void;
}

/** O_CLOEXEC of Linux, as /proc shows it. */
const CLOSE_AT_START = 0o2000000;

/** After stdin, stdout and stderr comes the line to this process, for programs that have one. */
export const LINE_DESCRIPTOR = 3;

/** What follows the line. */
export const FIRST_SLOT = LINE_DESCRIPTOR + 1;

/**
 * Opens a descriptor for each text, from `FIRST_SLOT` on in their order. Nothing else that this process has open
 * goes along: what it inherited itself, and could not be closed behind its back, becomes an empty one.
 * Raises system errors.
 */
export function openDescriptors(contents: readonly (string | Buffer)[]): Descriptors {
  const opened: number[] = [];
  const close = () => {
    for (const descriptor of opened.splice(0)) closeSync(descriptor);
  };
  try {
    for (const content of contents) opened.push(openContent(content));
    const slots: DescriptorSlot[] = ["ignore", ...opened];
    const handedDown = inheritable().filter((number) => number >= 3 + slots.length || number === 3);
    if (handedDown.length > 0) {
      const empty = openSync("/dev/null", "r");
      opened.push(empty);
      while (slots.length < Math.max(...handedDown) - 2) slots.push("ignore");
      for (const number of handedDown) slots[number - 3] = empty;
    }
    return { slots, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** A descriptor to read the content from its beginning; no file of that name is left. */
function openContent(content: string | Buffer): number {
  const directory = mkdtempSync(join(tmpdir(), "troupe-sandbox-"));
  try {
    const file = join(directory, "content");
    writeFileSync(file, content, { mode: 0o600 });
    return openSync(file, "r");
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The descriptors that a started program would get without being asked. */
function inheritable(): readonly number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((number) => number >= 3 && !closesAtStart(number));
}

function closesAtStart(number: number): boolean {
  try {
    const [, flags = "0"] =
      /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, "utf8")) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_AT_START) !== 0;
  } catch {
    // It was the one by which the list itself was read.
    return true;
  }
}
