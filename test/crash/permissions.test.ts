import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EventData, EventOf, JournalEvent } from "../../src/contracts/events/event.ts";
import { strideOf } from "../cases.ts";
import { PROMPTS } from "./asking-workflow.ts";
import { runChild } from "./child-run.ts";
import { countsOf, say } from "./report.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";

const WIDTH = 2;
/** More writes than the run makes. */
const MOST_WRITES = 60;
/** The daily suite takes every second write. */
const STRIDE = strideOf(2);

test("killed after every write, an approved call of a program that speaks ACP runs at most once for each approval, and no interruption counts as a refusal [AGT-18.used, AGT-18.again, AGT-18.waiting, AGT-18.notice, P14]", async () => {
  const writes = Array.from({ length: MOST_WRITES / STRIDE }, (_, index) => (index + 1) * STRIDE);
  let last = MOST_WRITES;
  const landings = await sideBySide(writes, WIDTH, async (append) => {
    if (append > last) return "beyond";
    const landing = await killed(append);
    if (landing === "beyond") last = Math.min(last, append);
    return landing;
  });
  say(`permissions: ${countsOf(landings.filter((landing) => landing !== "beyond"))}`);
  expect(landings).toContain("beyond");
  expect(landings).toContain("in its turn");
});

async function killed(append: number): Promise<string> {
  const sandbox = createSandbox();
  try {
    const dieAt = { when: "after", append } as const;
    const first = await runChild(sandbox, { action: "start-asking", dieAt });
    const before = look(sandbox);
    if (first.signal !== "SIGKILL") return "beyond";
    if (before.events.length === 0) return "before the run";
    const end = await runChild(sandbox, { action: "resume-asking" });
    expect(end).toMatchObject({ exitCode: 0, error: undefined });
    const after = look(sandbox);
    const uses = of(after.events, "permission-used").map(({ id }) => id);
    expect(new Set(uses).size).toBe(uses.length);
    const approvals = of(after.events, "permission-resolved");
    expect(approvals.every(({ decision, by }) => decision === "allowed" && by !== "policy")).toBe(
      true,
    );
    expect(approvals.map(({ id }) => id)).toEqual(expect.arrayContaining(uses));
    expect(after.ran).toBeLessThanOrEqual(uses.length);
    expect(after.ran).toBeGreaterThanOrEqual(1);
    // Whoever was asked once more was told why.
    const again = of(after.events, "permission-requested").filter(({ repeats }) => repeats);
    expect(new Set(again.map(({ id }) => id)).size).toBe(uses.length - 1);
    for (const { isError } of of(after.events, "tool-returned")) expect(isError).toBe(false);
    const attempts = of(after.events, "turn-started").length;
    if (after.prompts.length > 1)
      expect(after.prompts.at(-1)).toContain("[troupe] You were interrupted");
    return attempts > 1 ? "in its turn" : "elsewhere";
  } catch (cause) {
    throw new Error(`killed after write ${append}`, { cause });
  } finally {
    await sandbox.remove();
  }
}

function look(sandbox: Sandbox) {
  const { events } = observe({ ...sandbox, ledger: `${sandbox.root}/none` });
  const prompts = linesOf(`${sandbox.ledger}${PROMPTS}`);
  return { events, prompts, ran: linesOf(sandbox.ledger).length };
}

function of<Type extends EventData["type"]>(
  events: readonly JournalEvent[],
  type: Type,
): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

function linesOf(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
}
