import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** What a reader needs to compare figures: processor, memory, system, Node, disk, load. */
export function describeMachine(folder: string): string {
  const [first] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0] ?? 0;
  const isBusy = load > cpus().length / 2;
  return [
    `${cpus().length} x ${first?.model.trim() ?? "unknown processor"}, ${gigabytes} GB`,
    `${type()} ${release()}, Node ${process.versions.node}, ${fileSystemOf(folder)}`,
    `load ${load.toFixed(1)} at the start: ${isBusy ? "other work went on beside it, so that ratios are rough too" : "hardly any other work"}`,
  ].join("\n");
}

function fileSystemOf(folder: string): string {
  try {
    const output = execFileSync("df", ["-T", folder], { encoding: "utf8" });
    return output.trim().split("\n").at(-1)?.split(/\s+/)[1] ?? "unknown disk";
  } catch {
    return "unknown disk";
  }
}
