import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runChild } from "./child-run.ts";
import { countsOf, say } from "./report.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";

const WIDTH = 2;
/** More writes than such a run makes. */
const MOST_WRITES = 120;

test("a series killed before every write makes each commit once, of what its iterations changed, and none of the user's [ITR-5, ENG-2, ITR-from.killed, ITR-from.found]", async () => {
  const writes = Array.from({ length: MOST_WRITES }, (_, index) => index + 1);
  let last = MOST_WRITES;
  const landings = await sideBySide(writes, WIDTH, async (append) => {
    if (append > last) return "beyond";
    const landing = await killed(append);
    if (landing === "beyond") last = Math.min(last, append);
    return landing;
  });
  say(`iterate: ${countsOf(landings.filter((landing) => landing !== "beyond"))}`);
  expect(landings.indexOf("beyond")).toBeGreaterThan(10);
});

async function killed(append: number): Promise<string> {
  const sandbox = createSandbox();
  const git = prepare(sandbox);
  const dirty = git("diff", "HEAD");
  const first = await runChild(sandbox, {
    action: "start-talk",
    talk: "iterate",
    dieAt: { when: "before", append },
  });
  const isKilled = first.signal === "SIGKILL";
  const before = observe(sandbox);
  if (isKilled && before.events.length > 0) {
    const end = await runChild(sandbox, { action: "resume" });
    const { run } = observe(sandbox);
    try {
      expect(end).toMatchObject({ exitCode: 0, error: undefined });
      expect(end.result).toMatchObject({
        success: true,
        metadata: {
          ...{ iterationsAttempted: 3, iterationsSucceeded: 2, stopReason: "count" },
          records: [{ changedFiles: ["work.txt"] }, { commitId: null }, { success: true }],
        },
      });
      expect(
        git("log", "--format=%s|%(trailers:separator=%x2C)", "first..HEAD").trim().split("\n"),
      ).toEqual([
        `[iter-2] iteration[2]|Troupe-Run: ${run},Troupe-Iteration: 2`,
        `[iter-0] iteration[0]|Troupe-Run: ${run},Troupe-Iteration: 0`,
      ]);
      expect(git("diff", "--name-only", "first", "HEAD").trim()).toBe("work.txt");
      expect(git("diff", "HEAD")).toBe(dirty);
      expect(git("status", "--porcelain")).toBe(" M user.txt\n");
    } catch (cause) {
      throw new Error(`killed before write ${append}`, { cause });
    }
  }
  await sandbox.remove();
  return isKilled ? "during the run" : "beyond";
}

/** A repository with a change of its user. */
function prepare({ cwd }: Sandbox): (...args: readonly string[]) => string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
  const git = (...args: readonly string[]) =>
    execFileSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch", "main");
  writeFileSync(join(cwd, ".gitignore"), ".troupe\n");
  writeFileSync(join(cwd, "user.txt"), "1\n");
  git("add", "--all");
  git("commit", "--quiet", "-m", "first");
  git("tag", "first");
  writeFileSync(join(cwd, "user.txt"), "changed by the user\n");
  return git;
}
