import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { has } from "../machine.ts";
import { runChild } from "./child-run.ts";
import { crashAndResume, uninterruptedResult } from "./crash-case.ts";
import { type Calls, countCalls, injecting, type JournalCall } from "./injector.ts";
import { sayLandings, seedOf } from "./report.ts";
import { createSandbox, observe } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";
import { comparable, expectNothingRepeated, expectWholeRun } from "./verdict.ts";

const WIDTH = 2;
const SAMPLES = 8;

const random = seedOf("storage faults");
const expected = await uninterruptedResult();
const calls = has("strace") ? await countCalls() : new Map<JournalCall, Calls>();

for (const fault of ["error=EIO", "error=ENOSPC"] as const)
  for (const call of ["pwrite64", "fsync"] as const)
    test.runIf(has("strace"))(
      `${fault} of ${call} stops the run with a code, shows nothing that is not durable, and needs no repair [ENG-5, P6.faults]`,
      async () => {
        const { count, alike } = calls.get(call) ?? { count: 0, alike: new Set<number>() };
        const points = Array.from({ length: count }, (_, index) => index + 1).filter(
          (point) => !alike.has(point),
        );
        const faults = Array.from({ length: SAMPLES }, (_, sample) => {
          const at = points[Math.floor(((sample + random()) / SAMPLES) * points.length)] ?? 1;
          // Once, or from then on: a disk that recovers, and one that does not.
          return injecting(call, fault, sample % 2 === 0 ? `${at}` : `${at}+`);
        });
        const landings = await sideBySide(faults, WIDTH, (wrapper) =>
          crashAndResume([{ wrapper }], expected).catch((cause: unknown) => {
            throw new Error(`after ${wrapper.at(-1)}`, { cause });
          }),
        );
        sayLandings(`${fault} ${call}`, landings);
        expect(landings).toContain("failed loudly");
      },
    );

test.runIf(has("the right to mount"))(
  "a directory that has become read-only refuses the resume with a code and loses nothing [ENG-5, P6.read-only]",
  async () => {
    const sandbox = createSandbox();
    mount(["--bind", sandbox.cwd, sandbox.cwd]);
    try {
      await runChild(sandbox, { action: "start", dieAt: { when: "after", append: 12 } });
      const before = observe(sandbox);
      mount(["-o", "remount,bind,ro", sandbox.cwd]);
      const refused = await runChild(sandbox, { action: "resume" });
      expect([refused.exitCode, refused.error?.code]).toEqual([1, "STORE_UNWRITABLE"]);
      expect(refused.events).toEqual([]);
      mount(["-o", "remount,bind,rw", sandbox.cwd]);
      const end = await runChild(sandbox, { action: "resume" });
      expect(comparable(end.result)).toEqual(comparable(expected));
      expectNothingRepeated(before, observe(sandbox));
      expectWholeRun(observe(sandbox));
    } finally {
      spawnSync("umount", [sandbox.cwd]);
    }
    await sandbox.remove();
  },
);

function mount(args: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`mount ${args.join(" ")}: ${stderr}`);
}
