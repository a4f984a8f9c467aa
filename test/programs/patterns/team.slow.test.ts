import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentFunction, AgentFunctionInput } from "../../../src/contracts/agent-function.ts";
import { TroupeError } from "../../../src/foundation/errors.ts";
import type { Json } from "../../../src/foundation/json.ts";
import { createMemoryStore } from "../../../src/journal/memory-store.ts";
import { teamFaults } from "../../../src/programs/team/team-settings.ts";
import { defineTestWorkflow, type TestAgent } from "../../../src/testing/define-test-workflow.ts";
import {
  resumeInMemory,
  runWorkflowInMemory,
  startInMemory,
} from "../../../src/testing/run-workflow-in-memory.ts";
import type { FinishedRun } from "../../../src/testing/tested-run.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const turns = { maxAttempts: 1, retryDelayMs: 0 };
const team = (
  options: { readonly [key: string]: Json } = {},
  agents: readonly TestAgent[] = [{ id: "lead" }],
) => ({ ...{ pattern: "team", agents, turns, options: { name: "t", ...options } } });
/** A team of functions; those of all workers are one. */
const ofFunctions = (options: { readonly [key: string]: Json } = {}, workers = 2) => {
  const ids = Array.from({ length: workers }, (_, index) => `w${index + 1}`);
  const agents = ["lead", ...ids].map((id) => ({ id, backend: "function" }));
  return { ids, workflow: team({ maxWorkers: workers, ...options }, agents) };
};
const withWorkers = (ids: readonly string[], lead: AgentFunction, work: AgentFunction) => ({
  lead,
  ...Object.fromEntries(ids.map((id) => [id, work])),
});
const call = (tool: string, given: Json = {}) => ({ call: { tool, arguments: given } });
const create = (title: string, more: object = {}) => call("task_create", { title, ...more });
const LIST = ".troupe/context/team/t/tasks.md";
const listIn = (cwd: string, file = LIST) => ({
  read: () => readFileSync(join(cwd, file), "utf8"),
  write: (text: string) => {
    mkdirSync(join(cwd, ".troupe/context/team/t"), { recursive: true });
    writeFileSync(join(cwd, file), text);
  },
});
const moves = (run: FinishedRun, kind: string) =>
  run.all("pattern-advanced").flatMap((event) => (event.kind === kind ? [event.data] : []));
const promptsOf = (run: FinishedRun, agent: string) =>
  run
    .all("operation-scheduled")
    .flatMap(({ kind, input }) => (kind === "turn" ? [JSON.stringify(input)] : []))
    .filter((input) => input.includes(`"agent":"${agent}"`));
const idIn = (task: string) => Number(/Your task is #(\d+)/.exec(task)?.[1]);

test("a leader makes tasks, workers that Troupe starts take them by what comes first, and the leader ends the team [TEAM-1, TEAM-5]", async () => {
  const cwd = temporaryDirectory();
  const run = await runWorkflowInMemory(team(), {
    cwd,
    task: "Ship it",
    turns: {
      lead: [
        { do: [create("read"), create("write", { after: [1] })], say: "planned" },
        {
          expect: "2 of 2 tasks completed",
          do: [call("team_exit", { summary: "shipped" })],
          say: "bye",
        },
      ],
      "worker-*": {
        repeat: "cycle",
        turns: [{ expect: "Ship it", say: "DONE: seen" }, { say: "DONE: written" }],
      },
    },
  });
  expect(run.all("log")).toEqual([]);
  expect(run.outcome).toBe("completed");
  const [lead, worker] = run.all("agent-spawned").map(({ spec }) => spec);
  expect(lead).toMatchObject({ id: "lead", permissionMode: "delegate" });
  expect(worker).toMatchObject({ id: "worker-1", role: "worker", reportsTo: "lead" });
  expect(worker?.permissionMode).toBeUndefined();
  expect(run.all("agent-spawned")).toHaveLength(2);
  expect(run.result).toMatchObject({ output: "shipped" });
  expect(run.result?.metadata).toEqual({
    ...{ team: "t", list: LIST, total: 2, completed: 2, failed: 0, cancelled: 0, forced: false },
    tasks: [
      { task: 1, title: "read", status: "completed", owner: "worker-1", after: [], result: "seen" },
      {
        ...{ task: 2, title: "write", status: "completed", owner: "worker-1", after: [1] },
        result: "written",
      },
    ],
  });
  expect(listIn(cwd).read()).toBe(
    "# Tasks of team t\n\n- [x] #1 read (owner: worker-1)\n- [x] #2 write (owner: worker-1; after: #1)\n",
  );
  expect(promptsOf(run, "worker-1")[1]).toMatch(/result of task #1: read\\nseen/);
});

test("an agent that the leader has spawned and that lives is no worker of the team, whatever its name is [KCK-9.participants, TEAM-5]", async () => {
  const hire = call("spawn_agent", { prompt: "Where?" });
  const run = await runWorkflowInMemory(team({}, [{ id: "lead", spawns: true }]), {
    cwd: temporaryDirectory(),
    task: "Ship it",
    turns: {
      lead: [
        { do: [hire, call("wait"), create("read")], say: "planned" },
        { do: [call("team_exit", { summary: "shipped" })], say: "bye" },
      ],
      "worker-1": [{ say: "DONE: here" }],
      "worker-2": [{ say: "DONE: seen" }],
    },
  });
  expect(run.outcome).toBe("completed");
  const spawned = run.all("agent-spawned").map(({ spec }) => [spec.id, spec.spawnedBy]);
  expect(spawned).toEqual([
    ["lead", undefined],
    ["worker-1", "lead"],
    ["worker-2", undefined],
  ]);
  expect(run.result?.metadata).toMatchObject({ completed: 1, tasks: [{ owner: "worker-2" }] });
});

test("the DONE of a leader ends a team whose tasks are over [PAT-finish.closer]", async () => {
  const run = await runWorkflowInMemory(team(), {
    cwd: temporaryDirectory(),
    task: "Ship it",
    turns: {
      lead: [{ do: [create("read")], say: "planned" }, { say: "DONE: shipped" }],
      "worker-*": [{ say: "DONE: seen" }],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(run.result).toMatchObject({ output: "shipped", metadata: { total: 1, completed: 1 } });
  expect(promptsOf(run, "lead")).toHaveLength(2);
});

test("the events of a team say where its list is, what became of each task and by whom, and the true counts [TEAM-3, TEAM-9]", async () => {
  const run = await runWorkflowInMemory(team(), {
    cwd: temporaryDirectory(),
    turns: {
      lead: [{ do: [create("a"), create("b")], say: "go" }, { say: "DONE: one of two" }],
      "worker-1": { repeat: "last", turns: [{ say: "DONE: a" }, { say: "DONE: a" }] },
      "worker-2": { repeat: "last", turns: [{ say: "FAILED: no disk" }] },
    },
  });
  expect(moves(run, "team-started")).toEqual([{ team: "t", list: LIST }]);
  expect(moves(run, "team-ended")).toMatchObject([{ total: 2, forced: false }]);
  const told = moves(run, "task-changed");
  expect(told[0]).toEqual({
    ...{ task: 1, title: "a", status: "pending", owner: null, after: [], result: null, by: "lead" },
  });
  expect(told).toContainEqual(
    expect.objectContaining({ task: 1, status: "in_progress", owner: "worker-1", by: "worker-1" }),
  );
});

test("a task that comes back twice is failed, the leader is woken at once, told why, and may give it another chance [TEAM-6, TEAM-7]", async () => {
  const run = await runWorkflowInMemory(team({ maxWorkers: 1 }), {
    cwd: temporaryDirectory(),
    turns: {
      lead: [
        { do: [create("hard")], say: "go" },
        {
          expect: "Task #1 has failed",
          do: [call("task_update", { id: 1, status: "pending", title: "easier" })],
          say: "again",
        },
        { expect: "1 of 1 task completed", say: "DONE: all" },
      ],
      "worker-1": [
        { say: "FAILED: no key" },
        { expect: "no key", say: "BLOCKED: no lock" },
        { expect: "easier", say: "DONE: easy" },
      ],
    },
  });
  expect(run.outcome).toBe("completed");
  expect(promptsOf(run, "lead")[1]).toMatch(/task #1 failed: hard\\n.*no lock/);
  const ready = run.all("agent-ready").filter(({ agent }) => agent === "worker-1");
  expect(new Set(ready.map(({ session }) => session)).size).toBe(1);
  const failing = await runWorkflowInMemory(team({ maxWorkers: 1 }), {
    cwd: temporaryDirectory(),
    turns: {
      lead: [{ do: [create("hard")], say: "go" }, { say: "DONE: gave up" }],
      "worker-1": { repeat: "last", turns: [{ say: "FAILED: no" }] },
    },
  });
  expect(failing.outcome).toBe("failed");
  expect(failing.all("run-ended")).toMatchObject([{ reason: "0 of 1 task completed, 1 failed" }]);
});

test("leaving is refused while tasks are open, by tool and by DONE, and forced it fails with what is open [TEAM-3, TEAM-7]", async () => {
  const answers: Json[] = [];
  const { ids, workflow } = ofFunctions({ workers: "leader" }, 1);
  const lead: AgentFunction = async ({ callTool, task }) => {
    if (task.includes("You said DONE, but the team has open tasks: #1")) {
      answers.push(await callTool("team_exit", { summary: "enough", force: true }));
      return "";
    }
    await callTool("task_create", { title: "never", owner: "nobody" });
    await expect(callTool("team_exit", { summary: "done" })).rejects.toMatchObject({
      code: "TEAM_EXIT_REFUSED",
      message: "the team has open tasks: #1",
    });
    return "DONE: all of it";
  };
  const cwd = temporaryDirectory();
  const functions = withWorkers(ids, lead, () => "DONE: x");
  const run = await runWorkflowInMemory(workflow, { cwd, functions });
  expect(answers).toMatchObject([{ ended: true, open: [1] }]);
  expect(answers[0]).toHaveProperty("reminder", expect.stringContaining("Delegate mode has ended"));
  expect(run.outcome).toBe("failed");
  expect(run.all("run-ended")).toMatchObject([{ reason: "exited with 1 open" }]);
  expect(run.result?.metadata).toMatchObject({ total: 1, completed: 0, forced: true });
  expect(moves(run, "team-ended")).toMatchObject([{ forced: true }]);
});

test("a leader without tools writes its tasks as lines, and programs get title, goal and results on stdin [TEAM-6]", async () => {
  const { ids, workflow } = ofFunctions();
  const heard: string[] = [];
  const lead: AgentFunction = ({ task }) =>
    task.includes("There are no tasks")
      ? "My plan:\n- [ ] measure\n- [ ] cut (after: #1; owner: w2)\n"
      : "cut to length";
  const work: AgentFunction = ({ task, agent }) => {
    heard.push(`${agent}: ${task}`);
    return `DONE: ${agent} did #${idIn(task)}`;
  };
  const run = await runWorkflowInMemory(workflow, {
    ...{ cwd: temporaryDirectory(), task: "Build a shelf" },
    functions: withWorkers(ids, lead, work),
  });
  expect(run.outcome).toBe("completed");
  expect(run.result?.output).toBe("cut to length");
  expect(heard[0]).toMatch(/^w1: Build a shelf\n\nYour task is #1: measure/);
  expect(heard[1]).toMatch(/^w2: Build a shelf\n\n[\s\S]*w1 did #1[\s\S]*Your task is #2: cut/);
});

test("a person adds, renames, completes, keeps and takes off tasks in the file while the team works; what is running is interrupted [TEAM-8]", async () => {
  const cwd = temporaryDirectory();
  const list = listIn(cwd);
  const { ids, workflow } = ofFunctions({}, 1);
  list.write("Our plan\n\n- [ ] first\n- [ ] #7 mine (owner: user)\n- [ ] gone\n\nThe end.\n");
  const interrupted: unknown[] = [];
  const seen: string[] = [];
  let edited = false;
  const work: AgentFunction = async ({ task, signal }) => {
    seen.push(/Your task is (.*)/.exec(task)?.[1] ?? "");
    if (edited) return "DONE: ok";
    edited = true;
    // The file shows the claim before its task goes on.
    await expect.poll(list.read).toContain("[~] #1 first");
    list.write(
      "Our plan!\n\n- [ ] #7 mine too (owner: bob)\n- [ ] last (after: #7)\n- [ ] #3 new\n\nThe end.\n",
    );
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
    });
    interrupted.push(signal.reason);
    return "";
  };
  const started = await startInMemory(workflow, {
    cwd,
    functions: withWorkers(ids, () => "on it", work),
  });
  await expect.poll(list.read, { timeout: 15_000 }).toContain("[x] #3 new");
  list.write(list.read().replace("- [ ] #7", "- [x] #7"));
  const run = await started.over();
  expect(interrupted).toMatchObject([{ kind: "cancelled", reason: "its task is cancelled" }]);
  expect(run.outcome).toBe("completed");
  expect(seen).toEqual(["#1: first", "#3: new", "#9: last"]);
  expect(list.read()).toBe(
    "Our plan!\n\n- [x] #7 mine too (owner: bob)\n- [x] #9 last (owner: w1; after: #7)\n- [x] #3 new (owner: w1)\n\nThe end.\n",
  );
  expect(run.result?.metadata).toMatchObject({ total: 5, completed: 3, cancelled: 2 });
});

test("a file that cannot be read is left and told once, the list is beside it, and a circle is refused to its author [TEAM-8]", async () => {
  const cwd = temporaryDirectory();
  const list = listIn(cwd);
  const beside = listIn(cwd, ".troupe/context/team/t/tasks.rejected.md");
  const { ids, workflow } = ofFunctions({}, 1);
  list.write("- [ ] #1 a (after: #2)\n- [ ] #2 b (after: #1)\n");
  const broken = "- [ ] #1 a\n- [ ] #1 b\n";
  const work: AgentFunction = async ({ task }) => {
    if (idIn(task) !== 2) return "DONE: ok";
    list.write(broken);
    await expect.poll(beside.read).toContain("[~] #2 b");
    expect(list.read()).toBe(broken);
    list.write("- [ ] #1 a\n- [~] #2 b (owner: w1)\n");
    return "DONE: ok";
  };
  const run = await runWorkflowInMemory(workflow, {
    cwd,
    functions: withWorkers(ids, () => "fine", work),
  });
  const warnings = run.all("log").map(({ text }) => text);
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toMatch(
    /a change of the list is not taken: #2: task #2 would wait for itself/,
  );
  expect(warnings[1]).toMatch(/tasks\.md is left as it is: line 2: #1 stands in line 1, too/);
  expect(run.result?.metadata).toMatchObject({ total: 2, completed: 2 });
  expect(list.read()).toBe("- [x] #1 a (owner: w1)\n- [x] #2 b (owner: w1)\n");
});

test("a task of the user is a question in the inbox, also over owners that die, and its answer is what came of it [TEAM-6]", async () => {
  const store = createMemoryStore();
  const started = await startInMemory(team(), {
    cwd: temporaryDirectory(),
    store,
    turns: {
      lead: [
        { do: [create("sign", { owner: "user" })], say: "go" },
        { expect: "1 of 1 task completed", say: "DONE: signed" },
      ],
    },
  });
  const { id, text, agent } = await started.event("question-asked");
  expect([text, agent]).toEqual(["task #1 of team t is yours: sign", "lead"]);
  await started.run.suspend();
  const again = await resumeInMemory(started.run.id, { store });
  expect([...again.run.state.inbox.values()]).toMatchObject([{ kind: "question", id }]);
  await again.run.answer(id, "with a pen");
  const run = await again.over();
  expect(run.outcome).toBe("completed");
  expect(run.all("question-asked")).toEqual([]);
  expect(run.all("approval-requested")).toEqual([]);
  expect(run.result?.metadata["tasks"]).toMatchObject([{ owner: "user", result: "with a pen" }]);
});

test("agents are reminded of the team and its list, and told whose messages wait, unless that is off [TEAM-4]", async () => {
  const script = {
    lead: [{ do: [create("a")], say: "go" }, { say: "DONE: ok" }],
    "worker-1": [
      {
        do: [
          { send: { to: "lead", text: "one" } },
          { send: { to: "lead", text: "PROGRESS: two" } },
        ],
        say: "DONE: ok",
      },
    ],
  };
  const start = { cwd: temporaryDirectory(), turns: { ...script } };
  const told = promptsOf(await runWorkflowInMemory(team(), start), "lead");
  expect(told[0]).toContain(`Delegate mode is active for team \\"t\\"`);
  expect(told[0]).toContain(LIST);
  expect(told[0]).toContain("before all tasks are complete");
  expect(told[0]).not.toContain("unread");
  expect(told.slice(1).join()).toMatch(
    /Team collaboration notifications:\\n- worker-1: \d unread message\(s\)/,
  );
  const off = await runWorkflowInMemory(team({ notifications: false }), {
    ...start,
    cwd: temporaryDirectory(),
  });
  expect(promptsOf(off, "lead").join()).not.toContain("notifications");
});

test("a leader may not edit or run anything, whatever is allowed, and that holds for none of its workers [TEAM-1, TEAM-4]", async () => {
  const write = {
    permission: { tool: "Write", input: { file_path: "a.txt" }, onDeny: "continue" },
  };
  const started = await startInMemory(
    team({}, [
      { id: "lead", permissionMode: "bypass" },
      { id: "w", role: "worker", permissionMode: "accept-edits" },
    ]),
    {
      cwd: temporaryDirectory(),
      turns: {
        lead: [{ do: [write, create("a"), create("b")], say: "go" }, { say: "DONE: ok" }],
        w: { repeat: "last", turns: [{ do: [write], say: "DONE: ok" }] },
        "worker-1": { repeat: "last", turns: [{ do: [write], say: "DONE: ok" }] },
      },
    },
  );
  const run = await started.over();
  const rulings = run.all("permission-requested").map(({ agent, ruling }) => [agent, ruling]);
  expect(rulings.sort()).toEqual([
    ["lead", "denied"],
    ["w", "allowed"],
    ["worker-1", "allowed"],
  ]);
});

test.each([
  {
    when: "with a task open",
    lead: [{ do: [create("x", { owner: "bob" })], say: "go" }, { say: "hm" }, { say: "well" }],
    reason: "nobody goes on with 1 open",
    asked: 3,
  },
  {
    when: "with all tasks completed",
    lead: [{ do: [create("x")], say: "go" }, { say: "fine" }, { say: "well" }],
    reason: 'agent "lead" ended step "lead" without DONE, also after a reminder',
    asked: 3,
  },
  {
    when: "without a task",
    lead: [{ say: "hm" }, { expect: "end with a line `DONE: <result>`", say: "well" }],
    reason: 'agent "lead" ended step "lead" without DONE, also after a reminder',
    asked: 2,
  },
])(
  "a leader that is silent when only it could go on is asked once more, and has failed then: $when [TEAM-7, PAT-finish.leader]",
  async ({ lead, reason, asked }) => {
    const run = await runWorkflowInMemory(team(), {
      cwd: temporaryDirectory(),
      turns: { lead, "worker-*": [{ say: "DONE: seen" }] },
    });
    expect(run.outcome).toBe("failed");
    const error = expect.objectContaining({ code: "AGENT_NO_SIGNAL" });
    expect(run.all("run-ended")).toMatchObject([{ reason, error }]);
    expect(promptsOf(run, "lead")).toHaveLength(asked);
  },
);

test("a worker changes only what it holds, and what it took beside its task goes back when its turn ends [TEAM-5, TEAM-6]", async () => {
  const { ids, workflow } = ofFunctions({ taskFormat: "json" }, 1);
  const cwd = temporaryDirectory();
  const turn = async ({ callTool, task }: AgentFunctionInput) => {
    if (idIn(task) !== 1) return "DONE: ok";
    const refused = { code: "TEAM_TASK_REFUSED" };
    await expect(callTool("task_update", { id: 2, status: "failed" })).rejects.toMatchObject(
      refused,
    );
    await expect(callTool("team_exit", { summary: "x" })).rejects.toBeInstanceOf(TroupeError);
    expect(await callTool("task_claim", {})).toMatchObject({ id: 2, owner: "w1" });
    expect(await callTool("task_claim", { id: 3 })).toMatchObject({ id: 3 });
    await callTool("task_update", { id: 3, status: "completed", result: "on the way" });
    expect(await callTool("task_list", {})).toMatchObject({
      tasks: [{}, {}, { result: "on the way" }],
    });
    return "DONE: ok";
  };
  const lead: AgentFunction = ({ task }) =>
    task.includes("There are no tasks") ? "- [ ] a\n- [ ] b\n- [ ] c" : "all";
  const run = await runWorkflowInMemory(workflow, { cwd, functions: withWorkers(ids, lead, turn) });
  expect(run.outcome).toBe("completed");
  expect(moves(run, "task-changed")).toContainEqual(
    expect.objectContaining({ task: 2, status: "pending", by: "troupe" }),
  );
  const { tasks } = JSON.parse(listIn(cwd, ".troupe/context/team/t/tasks.json").read());
  expect(tasks).toMatchObject([{ result: "ok" }, { result: "ok" }, { result: "on the way" }]);
});

test("what is wrong with a team is told before it starts [TEAM-1]", () => {
  const faults = (workflow: Parameters<typeof defineTestWorkflow>[0]) =>
    teamFaults(defineTestWorkflow(workflow)).map(({ problem }) => problem);
  expect(faults(team())).toEqual([]);
  expect(faults(team({ leader: "x", name: "../x" }))).toEqual([
    'leader names "x", who is no agent',
    '"../x" cannot name a team',
  ]);
  expect(faults(team({ workers: "leader" }))).toEqual([
    "there is no worker whom the leader could give a task",
  ]);
  expect(faults(team({}, [{ id: "a" }, { id: "b", role: "judge" }]))).toEqual([
    'agent "b" has the role judge, and a team has a leader and workers',
  ]);
  const roles = [
    { id: "a", role: "lead" },
    { id: "b", role: "lead" },
  ] as const;
  expect(faults(team({}, roles))).toEqual([
    "a and b both have the role lead",
    'agent "b" has the role lead, and a team has a leader and workers',
  ]);
  expect(faults({ ...team(), steps: [{ id: "x" }], onFailure: "abort" })).toEqual([
    "a team has no steps: its tasks are what is to be done",
    "a task that fails is told to the leader, so onFailure: abort means nothing",
  ]);
});
