import type { ProcessFamily } from "./process-family.ts";

/** What an owner tells its reaper, one line each. The end of the lines means that the owner died. */
export type ReaperOrder =
  | { readonly kind: "watch"; readonly family: ProcessFamily }
  | { readonly kind: "forget"; readonly mark: string }
  | { readonly kind: "quit" };

const WATCH = /^watch (\d+) (\d+) ([0-9a-f]+) (\d+|-)$/;
const FORGET = /^forget ([0-9a-f]+)$/;

/** The line, with its end, that carries an order. */
export function toReaperLine(order: ReaperOrder): string {
  switch (order.kind) {
    case "watch":
      return toWatchLine(order.family);
    case "forget":
      return `forget ${order.mark}\n`;
    case "quit":
      return "quit\n";
  }
}

/** The order of a line; undefined for a line cut off by the death of its writer. */
export function fromReaperLine(line: string): ReaperOrder | undefined {
  if (line === "quit") return { kind: "quit" };
  const watch = WATCH.exec(line);
  if (watch !== null) {
    const [, pid, startedAt = "", mark = "", number = "-"] = watch;
    const kernelMark = number === "-" ? undefined : BigInt(number);
    return { kind: "watch", family: { leader: { pid: Number(pid), startedAt }, mark, kernelMark } };
  }
  const mark = FORGET.exec(line)?.[1];
  return mark === undefined ? undefined : { kind: "forget", mark };
}

function toWatchLine({ leader, mark, kernelMark }: ProcessFamily): string {
  return `watch ${leader.pid} ${leader.startedAt} ${mark} ${kernelMark ?? "-"}\n`;
}
