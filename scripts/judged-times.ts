// Refuses tests that judge by the clock of the wall: whatever else the machine does makes them wait. What work costs is
// told by test/testing/processor-time.ts; what never ends meets the time that its test may take.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Tests whose requirement is a time of the wall. */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ["test/crash/owner-death.test.ts", "ENG-6: nothing survives its owner by 5 s"],
  ["test/crash/processes.test.ts", "ENG-6: nothing survives its owner by 5 s"],
  ["test/e2e/daemon.test.ts", "P13.daemon: SIGTERM ends a daemon within 10 s"],
]);

const judged =
  /expect\([^;]*?\b(?:performance\.now|Date\.now|monotonic|hrtime(?:\.bigint)?)\(\)[^;]*?\.toBeLessThan(?:OrEqual)?\(/g;

const problems = globSync("test/**/*.ts", { cwd: root, exclude: ["test/bench/**"] })
  .filter((file) => !ALLOWED.has(file))
  .toSorted()
  .flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(judged)].map(
      ({ index }) =>
        `${file}:${text.slice(0, index).split("\n").length} judges by the clock of the wall: ` +
        "ask test/testing/processor-time.ts what work costs",
    );
  });
if (problems.length > 0) {
  process.stderr.write(`${problems.join("\n")}\n`);
  process.exitCode = 1;
}
