import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentFunction } from "../../../src/contracts/agent-function.ts";
import { isRecord, type Json } from "../../../src/foundation/json.ts";
import { createMemoryStore } from "../../../src/journal/memory-store.ts";
import { defineTestWorkflow, toTestAgent } from "../../../src/testing/define-test-workflow.ts";
import { resumeInMemory, startInMemory } from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

type Format = "md" | "json";

interface Damage {
  readonly what: string;
  readonly format: Format;
  /** Puts it in the place of the list. */
  readonly damage: (file: string) => void;
  readonly told: RegExp;
}

const written = (text: string) => (file: string) => writeFileSync(file, text);
const LARGE = "x".repeat(1_048_577);

const DAMAGES: readonly Damage[] = [
  {
    ...{ what: "a number twice", format: "md", damage: written("- [ ] #1 a\n- [ ] #1 b\n") },
    told: /line 2: #1 stands in line 1, too/,
  },
  {
    ...{ what: "a task without a title", format: "md", damage: written("# T\n\n- [ ] #1 \n") },
    told: /line 3: the task has no title/,
  },
  {
    ...{ what: "bytes that are no text", format: "md", damage: written("- [ ] a\0\n") },
    told: /it is no text/,
  },
  { what: "too much", format: "md", damage: written(LARGE), told: /more than 1048576 characters/ },
  { what: "a directory", format: "md", damage: (file) => mkdirSync(file), told: /EISDIR/ },
  {
    ...{ what: "a pipe", format: "md", damage: (file) => execFileSync("mkfifo", [file]) },
    told: /no regular file/,
  },
  {
    ...{ what: "a link that leads out", format: "md", damage: (file) => symlinkSync("/etc", file) },
    told: /leaves/,
  },
  {
    ...{ what: "a link to itself", format: "md", damage: (file) => symlinkSync(file, file) },
    told: /ELOOP/,
  },
  { what: "broken JSON", format: "json", damage: written('{"version": 1,'), told: /JSON/ },
  {
    what: "a number twice in JSON",
    format: "json",
    damage: written('{"version":1,"tasks":[{"id":1,"title":"a"},{"id":1,"title":"b"}]}'),
    told: /#1 stands there twice/,
  },
];

function teamIn(format: Format) {
  const cwd = temporaryDirectory();
  const file = join(cwd, ".troupe/context/team/t", `tasks.${format}`);
  mkdirSync(dirname(file), { recursive: true });
  const workflow = defineTestWorkflow({
    pattern: "team",
    agents: [
      { id: "lead", backend: "function" },
      { id: "w", backend: "function" },
    ],
    options: { name: "t", maxWorkers: 1, taskFormat: format },
    turns: { maxAttempts: 1, retryDelayMs: 0 },
  });
  return { cwd, file, workflow };
}

function put({ damage }: Damage, file: string): void {
  rmSync(file, { force: true, recursive: true });
  damage(file);
}

/** What a person writes to put it right: one more task. */
function corrected(format: Format, ...before: readonly ShownTask[]): string {
  const tasks = [...before, { id: 7, title: "of a person" }];
  return format === "md"
    ? tasks
        .map(({ id, title }) =>
          id === 7 ? `- [ ] #7 ${title}\n` : `- [~] #${id} ${title} (owner: w)\n`,
        )
        .join("")
    : JSON.stringify({
        version: 1,
        tasks: tasks.map((task) => ({
          ...task,
          status: task.id === 7 ? "pending" : "in_progress",
          owner: task.id === 7 ? null : "w",
        })),
      });
}

interface ShownTask {
  readonly id: number;
  readonly title: string;
}

/** Plans one task, and says DONE when told to. */
function leader(now: () => unknown = () => undefined): {
  readonly lead: AgentFunction;
  told(): string;
} {
  const told: string[] = [];
  return {
    lead: async ({ task }) => {
      told.push(task);
      await now();
      return told.length === 1 ? "- [ ] of the leader\n" : "fine";
    },
    told: () => told.join("\n"),
  };
}

const changesBy = (run: FinishedRun, task: number) =>
  run.all("pattern-advanced").flatMap(({ kind, data }) => {
    const isMeant = kind === "task-changed" && taskIn(data) === task;
    return isMeant && isRecord(data) ? [data["by"]] : [];
  });

const taskIn = (data: Json) => (isRecord(data) ? data["task"] : undefined);

describe.each(DAMAGES)("a list with $what in its place", (row) => {
  const { format, told } = row;

  test("stops the team before its first turn, says where it is wrong, and lets it go on once it was corrected [TEAM-10.before]", async () => {
    const { cwd, file, workflow } = teamIn(format);
    put(row, file);
    const store = createMemoryStore();
    const { lead } = leader();
    const functions = { lead, w: () => "DONE: ok" };
    const start = { cwd, store, functions, suspendsWhenWaiting: true };
    const started = await startInMemory(workflow, { ...start, task: "go" });
    const { message, purpose } = await started.event("approval-requested");
    expect(message).toMatch(told);
    expect([purpose, message]).toEqual(["pause", expect.stringContaining(`t/tasks.${format}`)]);
    await started.run.parted;
    // It is resumed in vain, and then for good.
    const vain = await resumeInMemory(started.run.id, start);
    await vain.event("approval-requested");
    await vain.run.parted;
    expect([...vain.run.state.agents.values()].flatMap(({ turns }) => [...turns])).toEqual([]);
    rmSync(file, { force: true, recursive: true });
    writeFileSync(file, corrected(format));
    const again = await resumeInMemory(started.run.id, start);
    const run = await again.over();
    expect(run.outcome).toBe("completed");
    expect(run.result?.metadata).toMatchObject({ total: 2, completed: 2 });
    expect(changesBy(run, 7)[0]).toBe("file");
  });

  test.each(["while it plans", "while it works"])(
    "that comes %s is left, told once to people and the leader, and taken in again [TEAM-10.meanwhile]",
    async (when) => {
      const { cwd, file, workflow } = teamIn(format);
      const isPlanning = when === "while it plans";
      const beside = file.replace("tasks.", "tasks.rejected.");
      let hasCome = false;
      const breaks = async () => {
        if (hasCome) return;
        hasCome = true;
        put(row, file);
        const run = await starting;
        await run.event("log", ({ text }) => text.includes("is left as it is"));
      };
      const { lead, told: heard } = leader(isPlanning ? breaks : undefined);
      const work: AgentFunction = async ({ task }) => {
        if (!isPlanning) await breaks();
        if (!task.includes("#7")) {
          await expect.poll(() => readFileSync(beside, "utf8")).toContain("of the leader");
          rmSync(file, { force: true, recursive: true });
          writeFileSync(file, corrected(format, { id: 1, title: "of the leader" }));
          // The team would end before it was taken in.
          await (await starting).event("pattern-advanced", ({ data }) => taskIn(data) === 7);
        }
        return "DONE: ok";
      };
      const functions = { lead, w: work };
      const starting = startInMemory(workflow, { cwd, task: "go", functions });
      const run = await (await starting).over();
      expect(run.outcome).toBe("completed");
      expect(run.all("log").map(({ text }) => text)).toEqual([expect.stringMatching(told)]);
      expect(heard()).toMatch(told);
    },
  );
});

test("a person who rejects that ends the team before anything was begun [TEAM-10.before]", async () => {
  const { cwd, file, workflow } = teamIn("md");
  mkdirSync(file);
  const functions = { lead: () => "never", w: () => "never" };
  const started = await startInMemory(workflow, { cwd, task: "go", functions });
  const { approval } = await started.event("approval-requested");
  await started.run.command({ kind: "resolve-approval", approval, decision: "rejected" });
  const run = await started.over();
  expect(run.outcome).toBe("failed");
  expect(run.all("run-ended")).toMatchObject([{ error: { code: "TEAM_LIST_UNREADABLE" } }]);
  expect(run.all("turn-started")).toEqual([]);
});

test.each([
  ["by the agent that says that it changed it", "write", "w"],
  ["by the file when nothing says who it was", "run", "file"],
])("a change of the list while a worker works is %s [TEAM-10.by]", async (_whose, how, by) => {
  const { cwd, workflow } = teamIn("md");
  const list = ".troupe/context/team/t/tasks.md";
  const content = "- [~] #1 first (owner: w)\n- [ ] second\n";
  const change =
    how === "write"
      ? { write: { path: list, content } }
      : { run: `printf '%s' '${content}' > ${list}` };
  const until = { run: `until grep -q '#2 second' ${list}; do sleep 0.02; done` };
  const agents = [{ id: "lead" }, { id: "w" }].map(toTestAgent);
  const started = await startInMemory(
    { ...workflow, agents },
    {
      ...{ cwd, task: "go" },
      turns: {
        lead: [
          { do: [{ call: { tool: "task_create", arguments: { title: "first" } } }], say: "on it" },
          { say: "DONE: all" },
        ],
        w: [{ do: [change, until], say: "DONE: one" }, { say: "DONE: two" }],
      },
    },
  );
  const run = await started.over();
  expect(run.outcome).toBe("completed");
  expect(changesBy(run, 2)).toEqual([by, "w", "w"]);
});
