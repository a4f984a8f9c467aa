import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem, type } from "node:os";

/** What a reader needs to compare figures: processor, memory, system, Node, disk, load. */
export function describeMachine(folder: string): string {
  const [first] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0]?.toFixed(1) ?? "unknown";
  return [
    `${cpus().length} x ${first?.model.trim() ?? "unknown processor"}, ${gigabytes} GB`,
    `${type()} ${release()}, Node ${process.versions.node}, ${fileSystemOf(folder)}`,
    `load ${load} at the start; figures are medians of interleaved rounds, compare the ratios`,
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
