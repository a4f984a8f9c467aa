import { expect, test } from "vitest";
import { createClientUser, eventsOf } from "./client-user.ts";
import { scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

// Two minutes by itself; some machines do much else.
const PATIENCE_MS = 480_000;
const clients = ["claude", "codex", "gemini", "opencode"] as const satisfies readonly ClientName[];

const NEXT = { claude: "codex", codex: "gemini", gemini: "opencode", opencode: "claude" } as const;

/** A minute is what most clients bear of a tool where nobody tells them otherwise; of an answer of a model they bear half of this. */
const LASTING_MS = 80_000;

test("each client spawns another one and waits for it in one call, longer than clients bear by themselves, and gets its answer [COL-15]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const agents = clients.map((cli) => ({ id: cli, cli, spawns: true }));
  const steps = clients.map((cli) => {
    const task = scriptText(
      { delayMs: LASTING_MS / 2, calls: [{ shell: "true" }] },
      { delayMs: LASTING_MS / 2, text: `found for ${cli}` },
    );
    const scout = { name: `scout-${cli}`, backend: NEXT[cli] };
    const prompt = scriptText(
      { calls: [{ tool: "spawn_agent", args: { ...scout, prompt: task } }] },
      { calls: [{ tool: "wait", args: { ids: [scout.name], timeout_seconds: 600 } }] },
      { text: "DONE: $RESULT" },
    );
    return { id: `ask-${cli}`, agent: cli, prompt };
  });
  const file = { version: "1.0", name: "w", pattern: "dag", agents, steps };
  const user = await createClientUser(context, {
    clients,
    files: { "w.yaml": JSON.stringify(file) },
  });
  expect(await user.type("run", "w.yaml")).toMatchObject({ exitCode: 0 });
  const events = user.events();
  const began = eventsOf(events, "collab-began").filter(({ operation }) => operation === "wait");
  const ended = eventsOf(events, "collab-ended").filter(({ operation }) => operation === "wait");
  expect(began.map(({ agent }) => agent).toSorted()).toEqual([...clients].toSorted());
  expect(
    ended.map(({ agent, timedOut, statuses }) => [agent, timedOut, Object.values(statuses)]),
  ).toEqual(expect.arrayContaining(clients.map((cli) => [cli, false, ["completed"]])));
  const times = clients.map((cli) => {
    const [from, to] = [began, ended].map((list) => list.find(({ agent }) => agent === cli)?.at);
    return (to ?? 0) - (from ?? 0);
  });
  for (const time of times) expect(time).toBeGreaterThan(LASTING_MS * 0.8);
  for (const cli of clients)
    expect(eventsOf(events, "step-completed").find(({ agent }) => agent === cli)).toMatchObject({
      output: expect.stringContaining(`found for ${cli}`),
    });
  expect(await user.living()).toEqual([]);
});

test("a client leads a team whose workers are other clients: it plans, they do a task each, and the list says so [TEAM-1, TEAM-5]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const [lead, ...workers] = clients;
  const plan = workers.map((owner) => ({
    tool: "task_create",
    args: { title: `look ${scriptText({ text: `DONE: ${owner} looked` })}`, owner },
  }));
  const goal = scriptText({ calls: plan }, { text: "it is planned" });
  const file = {
    version: "1.0",
    name: "w",
    pattern: "team",
    agents: [
      { id: lead, cli: lead, role: "lead" },
      ...workers.map((cli) => ({ id: cli, cli, role: "worker" })),
    ],
    team: { maxWorkers: 3 },
  };
  const user = await createClientUser(context, {
    clients,
    files: { "w.yaml": JSON.stringify(file) },
  });
  const run = await user.type("run", "w.yaml", goal);
  expect(run, run.err).toMatchObject({ exitCode: 0 });
  const events = user.events();
  const changes = eventsOf(events, "pattern-advanced").flatMap(({ kind, data }) =>
    kind === "task-changed" ? [JSON.parse(JSON.stringify(data))] : [],
  );
  const done = changes.filter(({ status }) => status === "completed");
  expect(done.map(({ owner }) => owner).toSorted()).toEqual([...workers].toSorted());
  expect(JSON.stringify(events.at(-1))).toContain("3 of 3 tasks completed");
  expect(await user.living()).toEqual([]);
});
