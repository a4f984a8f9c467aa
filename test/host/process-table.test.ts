import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "short-of-files-program.ts");

test.runIf(process.platform === "linux")(
  "a process that cannot be looked at for lack of files is not taken for gone, nor for one without a mark [SEC-3.below, P5]",
  () => {
    const out = execFileSync(
      "/bin/sh",
      ["-c", 'ulimit -n 64; exec "$0" "$1"', process.execPath, program],
      { encoding: "utf8" },
    );
    expect(JSON.parse(out)).toEqual([true, true, "EMFILE", "EMFILE"]);
  },
);
