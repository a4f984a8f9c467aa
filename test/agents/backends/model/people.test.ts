import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunCommand } from "../../../../src/contracts/events/run-events.ts";
import type { InboxItem } from "../../../../src/fold/state/inbox-state.ts";
import type { AgentsRun } from "../../agents-run.ts";
import { modelTurn } from "./model-turn.ts";

/** Decides each item of the inbox as it comes; the items, in order. */
async function decide(
  run: AgentsRun,
  toCommand: (item: InboxItem) => RunCommand,
): Promise<readonly InboxItem[]> {
  const seen: InboxItem[] = [];
  const over = run.over().then(() => true);
  const isOver = () => Promise.race([over, new Promise((resolve) => setImmediate(resolve, false))]);
  while (!(await isOver()))
    for (const item of [...run.owned.state.inbox.values()]) {
      if (seen.some(({ id }) => id === item.id)) continue;
      seen.push(item);
      await run.owned.command(toCommand(item), "user");
    }
  return seen;
}

const results = (run: AgentsRun, name: string) =>
  run
    .all("tool-returned")
    .flatMap(({ tool, isError, result }) => (tool === name ? [[isError, result]] : []));

test("a question with options is answered by their number or name, and by any other text [LOOP-14.people]", async () => {
  const options = [{ label: "Postgres", description: "a server" }, { label: "SQLite" }];
  const ask = (question: string, more = {}) => ({ question, options, ...more });
  const questions = [
    ask("First?"),
    ask("Second?", { multiSelect: true }),
    ask("Third?"),
    ask("Fourth?"),
  ];
  const { run } = await modelTurn(
    [{ calls: [{ tool: "AskUserQuestion", args: { questions } }] }, { text: "ok" }],
    { permissionMode: "ask" },
  );
  const answers = ["2", "2, postgres", "sqlite", "9 of them"];
  const asked = await decide(run, ({ id }) => {
    return { kind: "answer-question", id, answer: answers.shift() ?? "" };
  });
  expect(asked[0]).toMatchObject({
    text: "First?\n1. Postgres: a server\n2. SQLite",
    options: ["Postgres", "SQLite"],
    many: false,
  });
  expect(results(run, "AskUserQuestion")).toEqual([
    [false, "First?\nSQLite\n\nSecond?\nSQLite, Postgres\n\nThird?\nSQLite\n\nFourth?\n9 of them"],
  ]);
});

test("an agent that plans changes nothing until a person approves of its plan; a rejection says why [LOOP-14.people]", async () => {
  const { run, cwd } = await modelTurn(
    [
      { calls: [{ tool: "EnterPlanMode" }] },
      { calls: [{ shell: "echo early > early" }] },
      { calls: [{ tool: "ExitPlanMode", args: { plan: "write it all" } }] },
      { calls: [{ shell: "echo early > early" }] },
      { calls: [{ tool: "ExitPlanMode", args: { plan: "write late" } }] },
      { calls: [{ shell: "echo late > late" }] },
      { text: "ok" },
    ],
    { permissionMode: "bypass" },
  );
  const shown = await decide(run, (item) => {
    const isFirst = item.kind === "approval" && item.show === "write it all";
    return {
      kind: "resolve-approval",
      approval: item.id,
      ...(isFirst ? { decision: "rejected", comment: "less" } : { decision: "approved" }),
    };
  });
  expect(shown.map((item) => item.kind === "approval" && item.show)).toEqual([
    "write it all",
    "write late",
  ]);
  expect(results(run, "ExitPlanMode").map(([isError]) => isError)).toEqual([true, false]);
  expect(results(run, "ExitPlanMode")[0]?.[1]).toContain("the plan is rejected: less");
  expect(results(run, "Bash").map(([, result]) => result)).toEqual([
    "denied",
    "denied",
    "(it printed nothing)",
  ]);
  await expect(readFile(join(cwd, "early"), "utf8")).rejects.toThrow("ENOENT");
  expect(await readFile(join(cwd, "late"), "utf8")).toBe("late\n");
  expect(run.all("agent-mode-set").map(({ mode, by }) => [mode, by])).toEqual([
    ["plan", "agent"],
    [undefined, "user"],
  ]);
});

test("with autoApprovePlanMode nobody is asked about a plan, and the journal says so [LOOP-9.keys]", async () => {
  const { run } = await modelTurn(
    [
      { calls: [{ tool: "EnterPlanMode" }] },
      { calls: [{ tool: "ExitPlanMode", args: { plan: "just do it" } }] },
      { text: "ok" },
    ],
    { permissionMode: "bypass", autoApprovePlanMode: true },
  );
  await run.over();
  expect(run.all("approval-requested")).toEqual([]);
  expect(run.all("agent-mode-set").at(-1)).toMatchObject({ by: "autoApprovePlanMode" });
});

test("what is allowed for the run is not asked again, for this agent, this tool and this very text [AGT-10]", async () => {
  const { run } = await modelTurn(
    [
      { calls: [{ shell: "echo *" }] },
      { calls: [{ shell: "echo *" }] },
      { calls: [{ shell: "echo x" }] },
      { text: "ok" },
    ],
    { permissionMode: "ask" },
  );
  const asked = await decide(run, ({ id }) => {
    return { kind: "resolve-permission", id, decision: "allowed", always: true };
  });
  expect(asked).toHaveLength(2);
  expect(run.all("permission-resolved").map(({ by, always }) => [by, always])).toEqual([
    ["user", { agent: "coder", tool: "Bash", texts: ["echo *"] }],
    ["policy", undefined],
    ["user", { agent: "coder", tool: "Bash", texts: ["echo x"] }],
  ]);
});
