import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import { seededRandom } from "../../../src/foundation/random.ts";
import { startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const WORKERS = 20;
const TASKS = 200;
/** The person adds a task of theirs with every edit. */
const EDITS = 10;

test("twenty workers do two hundred tasks, each of them once, while some die and a person edits the list; the counts are true [TEAM-2, TEAM-3]", async () => {
  const cwd = temporaryDirectory();
  const path = join(cwd, ".troupe/context/team/big/tasks.md");
  mkdirSync(dirname(path), { recursive: true });
  const lines = Array.from({ length: TASKS }, (_, index) => {
    const id = index + 1;
    const after = id % 7 === 0 ? ` (after: #${id - 3}, #${id - 1})` : "";
    // It cannot have begun when the person takes it out.
    return `- [ ] #${id} piece ${id}${id === TASKS ? ` (after: #${TASKS + 1})` : after}\n`;
  });
  writeFileSync(
    path,
    `What we do\n\n${lines.join("")}- [ ] #201 close (owner: sam)\n\nNotes of mine stay.\n`,
  );
  const random = seededRandom("team");
  const done = new Map<number, number>();
  const died = new Set<number>();
  const work: AgentFunction = async ({ task, signal }) => {
    const id = Number(/Your task is #(\d+)/.exec(task)?.[1]);
    await new Promise((resolve) => setImmediate(resolve));
    if (random() < 0.2 && !died.has(id)) {
      died.add(id);
      throw new Error("the program has died");
    }
    if (signal.aborted) return "";
    done.set(id, (done.get(id) ?? 0) + 1);
    return `DONE: piece ${id}`;
  };
  const ids = Array.from({ length: WORKERS }, (_, index) => `w${index + 1}`);
  const lead: AgentFunction = () => "all pieces are there";
  const started = await startInMemory(
    {
      pattern: "team",
      agents: ["lead", ...ids].map((id) => ({ id, backend: "function" })),
      turns: { maxAttempts: 1, retryDelayMs: 0 },
      options: { name: "big", maxWorkers: WORKERS },
    },
    {
      cwd,
      task: "Build it",
      functions: { lead, ...Object.fromEntries(ids.map((id) => [id, work])) },
    },
  );
  await started.event("pattern-advanced", ({ data }) => JSON.stringify(data).includes("completed"));
  for (let number = 1; number <= EDITS; number += 1) {
    if (number % 4 === 0)
      await started.run.agents.find(({ name }) => name === `w${number}`)?.release();
    const text = readFileSync(path, "utf8");
    // What Troupe writes meanwhile is overwritten with an old copy.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const without = number === 1 ? text.replace(/^- \[ \] #200 .*\n/m, "") : text;
    writeFileSync(path, without.replace("\nNotes", `- [ ] mine ${number}\n\nNotes`));
    const added = new RegExp(`#\\d+ mine ${number}( \\(owner.*)?\\n`);
    await expect.poll(() => readFileSync(path, "utf8")).toMatch(added);
  }
  writeFileSync(path, readFileSync(path, "utf8").replace("- [ ] #201", "- [x] #201"));
  const run = await started.over();

  expect(run.all("log").map(({ text }) => text)).toEqual([]);
  const total = TASKS + 1 + EDITS;
  const cancelled = 1;
  expect(run.result?.metadata).toMatchObject({
    ...{ total, completed: total - cancelled, cancelled, failed: 0, forced: false },
  });
  expect([...done.values()].filter((times) => times !== 1)).toEqual([]);
  expect(done.size).toBe(total - cancelled - 1);
  expect(died.size).toBeGreaterThan(10);
  const text = readFileSync(path, "utf8");
  expect(text.match(/^- \[x\] #\d+ /gm)).toHaveLength(total - cancelled);
  expect(text.startsWith("What we do\n\n- [x] #1 piece 1 (owner: w")).toBe(true);
  expect(text.endsWith("\nNotes of mine stay.\n")).toBe(true);
}, 120_000);
