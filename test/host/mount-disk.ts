import { spawnSync } from "node:child_process";
import { onTestFinished } from "vitest";

/** Makes a directory of the test a disk of its own, such as `size=2m`, until the test is over. */
export function mountDisk(directory: string, options: string): void {
  mount(["-t", "tmpfs", "-o", `${options},mode=700`, "tmpfs", directory]);
  onTestFinished(() => {
    spawnSync("umount", [directory]);
  });
}

/** Calls mount. Throws what it says when it fails. */
export function mount(args: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`mount ${args.join(" ")}: ${stderr}`);
}
