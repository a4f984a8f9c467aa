import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { JournalEvent } from "../../src/contracts/events/event.ts";
import { type ModelServer, startModelServer } from "../clients/model-server/model-server.ts";
import { runChild } from "./child-run.ts";
import { LONG_FILE, modelSteps } from "./model-workflow.ts";
import { countsOf, say } from "./report.ts";
import { createSandbox, observe, type Sandbox } from "./sandbox.ts";
import { sideBySide } from "./side-by-side.ts";

const WIDTH = 2;
/** More writes than the run makes. */
const MOST_WRITES = 200;
/** Those of the subagent too. */
const ANSWERS = modelSteps("").length + 2;
const EFFECTS = ["one", "two", "child", "three"];

test("a run of a model killed after every write: no answer is paid for twice, nothing happens twice without being told, a permission is used before its call begins, and what a result left out is read [LOOP-12, LOOP-14.rest, ENG-2, AGT-18.used, P1]", async () => {
  const server = await startModelServer();
  onTestFinished(() => server.close());
  const writes = Array.from({ length: MOST_WRITES }, (_, index) => index + 1);
  let last = MOST_WRITES;
  const landings = await sideBySide(writes, WIDTH, async (append) => {
    // One that is over before this write is so before all later ones.
    if (append > last) return "beyond";
    const landing = await killed(server, append);
    if (landing === "beyond") last = Math.min(last, append);
    return landing;
  });
  say(`model: ${countsOf(landings.filter((landing) => landing !== "beyond"))}`);
  expect(landings.indexOf("beyond")).toBeGreaterThan(20);
  expect(landings).toContain("in the middle of an effect");
});

async function killed(server: ModelServer, append: number): Promise<string> {
  const sandbox = createSandbox();
  const agent = `killed-${append}`;
  const calls = () => server.calls(agent).length;
  configure(sandbox, `${server.urlFor(agent)}/v1`);
  try {
    const dieAt = { when: "after", append } as const;
    const first = await runChild(sandbox, { action: "start-model", dieAt });
    const before = observe({ ...sandbox, ledger: join(sandbox.root, "none") });
    if (first.signal !== "SIGKILL") return "beyond";
    if (before.events.length === 0) return "before the run";
    const asked = calls();
    const end = await runChild(sandbox, { action: "resume-model" });
    expect(end).toMatchObject({ exitCode: 0, error: undefined });
    expect(end.result).toMatchObject({ success: true });
    const after = observe({ ...sandbox, ledger: join(sandbox.root, "none") });
    expect(answersIn(after.events)).toBe(ANSWERS);
    expect(calls() - asked).toBe(ANSWERS - answersIn(before.events));
    const rest = JSON.stringify({ content: "a line\n".repeat(5).trimEnd() }).slice(1, -1);
    expect(server.calls(agent).at(-1)?.body).toContain(JSON.stringify(rest).slice(1, -1));
    return expectEffects(sandbox, after.events);
  } catch (cause) {
    throw new Error(`killed after write ${append}`, { cause });
  } finally {
    await sandbox.remove();
  }
}

function configure({ cwd }: Sandbox, baseUrl: string): void {
  mkdirSync(join(cwd, ".troupe"), { recursive: true });
  writeFileSync(
    join(cwd, ".troupe", "config.yaml"),
    `backends:\n  anthropic:\n    baseUrl: ${baseUrl}\n`,
  );
  writeFileSync(join(cwd, LONG_FILE.name), LONG_FILE.text);
}

function answersIn(events: readonly JournalEvent[]): number {
  return events.filter(({ type }) => type === "model-called").length;
}

/** Each effect once; one of which nobody knows was told as such. */
function expectEffects({ ledger }: Sandbox, events: readonly JournalEvent[]): string {
  const effects = linesOf(ledger);
  expect(effects).toEqual([...new Set(effects)]);
  const interrupted = events.filter(
    (event) => event.type === "tool-returned" && event.result.startsWith("interrupted;"),
  );
  expect(interrupted.length).toBeLessThanOrEqual(1);
  if (effects.length < EFFECTS.length) expect(interrupted).toHaveLength(1);
  else expect(effects).toEqual(EFFECTS);
  const posted = events.filter(
    (event) =>
      event.type === "message-posted" && event.from === "coder" && event.text.startsWith("half"),
  );
  expect(posted).toHaveLength(2);
  expectUsedFirst(events);
  return interrupted.length === 1 ? "in the middle of an effect" : "elsewhere";
}

/** No effect begins before its permission is used, and none is used twice. */
function expectUsedFirst(events: readonly JournalEvent[]): void {
  const used = events.flatMap((event) => (event.type === "permission-used" ? [event.id] : []));
  expect(used).toEqual([...new Set(used)]);
  const asked = events.flatMap((event) =>
    event.type === "permission-requested" ? [event.call] : [],
  );
  for (const [at, event] of events.entries()) {
    if (event.type !== "session-noted" || event.what !== "tool-started") continue;
    if (!asked.includes(event.call)) continue;
    const before = events.slice(0, at);
    expect(before.some((each) => each.type === "permission-used" && each.call === event.call)).toBe(
      true,
    );
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}
