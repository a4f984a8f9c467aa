import { expect } from "vitest";
import { runChild } from "./child-run.ts";
import type { CrashOrder } from "./fixture-run.ts";
import { countsOf, say } from "./report.ts";
import { createSandbox, type Observation, observe } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";

const WIDTH = 2;
/** More writes than one of these runs makes. */
const MOST_WRITES = 250;

/** Kills runs after each of their writes, and looks at each once it has gone on to its end; how many were killed. */
export async function killedEverywhere(
  actions: { readonly start: CrashOrder["action"]; readonly resume: CrashOrder["action"] },
  look: (whole: Observation) => void,
  { diesAgain = false }: { readonly diesAgain?: boolean } = {},
): Promise<number> {
  const writes = Array.from({ length: MOST_WRITES }, (_, index) => index + 1);
  let last = MOST_WRITES;
  const landings = await sideBySide(writes, WIDTH, async (append) => {
    if (append > last) return "beyond";
    const sandbox = createSandbox();
    const first = await runChild(sandbox, {
      action: actions.start,
      dieAt: { when: "after", append },
    });
    const before = observe(sandbox);
    const isKilled = first.signal === "SIGKILL";
    if (!isKilled) last = Math.min(last, append);
    try {
      if (isKilled && before.events.length > 0) {
        // Whoever goes on dies as well, at the beginning of it.
        if (diesAgain) {
          const dieAt = { when: "after", append: 1 + (append % 5) } as const;
          await runChild(sandbox, { action: actions.resume, dieAt });
        }
        const end = await runChild(sandbox, { action: actions.resume });
        expect(end).toMatchObject({ exitCode: 0, error: undefined });
      }
      if (before.events.length > 0) {
        const after = observe(sandbox);
        look(after);
        expectNoneAgain(before, after);
      }
    } catch (cause) {
      throw new Error(`${actions.start} killed after write ${append}`, { cause });
    }
    await sandbox.remove();
    return isKilled ? "killed" : "beyond";
  });
  say(`${actions.start}: ${countsOf(landings.filter((landing) => landing !== "beyond"))}`);
  return landings.indexOf("beyond");
}

/** A turn that the journal knows as completed does not start again. */
function expectNoneAgain(before: Observation, after: Observation): void {
  const keys = new Map<string, string>();
  const done = new Set<string>();
  for (const event of before.events) {
    if (event.type === "turn-started") keys.set(`${event.agent} ${event.turn}`, event.key);
    if (event.type === "turn-completed") done.add(keys.get(`${event.agent} ${event.turn}`) ?? "");
  }
  const started = after.ledger.slice(before.ledger.length).filter(({ mark }) => mark === "start");
  expect(started.filter(({ key }) => done.has(key))).toEqual([]);
}
