import { expect, test } from "vitest";
import { childSpec } from "../../../src/agents/collab/child-spec.ts";
import type { AgentSpec } from "../../../src/contracts/agent.ts";
import { createManualClock, settle } from "../../../src/testing/manual-clock.ts";
import { agent, runAgents } from "../agents-run.ts";
import { castBackend, type Part, runCast, says } from "./collab-run.ts";

test("an agent reaches its own and those that report to it, and learns nothing of others [COL-10]", async () => {
  const seen: unknown[] = [];
  const clock = createManualClock();
  const backend = castBackend({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "a", name: "mine" });
        await call("wait", { ids: ["mine"] });
        seen.push((await call("list_agents"))["agents"]);
        seen.push(
          (await call("wait", { ids: ["other", "user", "lead"], timeout_ms: 1 }))["statuses"],
        );
        for (const id of ["other", "lead", "nobody"])
          seen.push(
            await call("send_input", { id, prompt: "x" }),
            await call("close_agent", { id }),
          );
        seen.push(await call("close_agent", { id: "reporter" }));
        seen.push(await call("resume_agent", { id: "other" }));
        return "done";
      },
    ],
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("lead", { session: "keep", spawns: true }));
      await context.spawn(agent("other", { session: "keep", spawns: true }));
      await context.spawn(agent("reporter", { session: "keep", reportsTo: "lead" }));
      return (await context.turn("lead", "go")).text;
    },
    { backend, clock },
  );
  expect(await run.over()).toBe("done");
  const notFound = { error: "COLLAB_NOT_FOUND" };
  expect(seen).toEqual([
    [
      expect.objectContaining({ id: "reporter", status: "pending_init" }),
      expect.objectContaining({ id: "mine", parent: "lead", status: "completed" }),
    ],
    {
      other: { status: "not_found" },
      user: { status: "not_found" },
      lead: { status: "not_found" },
    },
    ...Array.from({ length: 6 }, () => notFound),
    { error: "COLLAB_NOT_YOURS" },
    notFound,
  ]);
});

test.each([
  { name: "lead", error: "COLLAB_NAME_INVALID" },
  { name: "LEAD", error: "COLLAB_NAME_INVALID" },
  { name: "planned", error: "COLLAB_NAME_INVALID" },
  { name: "user", error: "COLLAB_NAME_INVALID" },
  { name: "../x", error: "COLLAB_NAME_INVALID" },
  { name: "fine", id: "fine" },
])(
  "an agent called $name is refused, or has that id [COL-8, COL-10]",
  async ({ name, ...expected }) => {
    const seen: unknown[] = [];
    const run = runCast(
      {
        lead: [
          async (call) => {
            seen.push(await call("spawn_agent", { prompt: "a", name }));
            return "done";
          },
        ],
      },
      {
        childKinds: {
          find: async () => ({}),
          isReserved: (id) => id === "planned",
          backends: () => [],
        },
      },
    );
    await expect.poll(() => seen).toEqual([expect.objectContaining(expected)]);
    await run.stop();
  },
);

test("an agent of the workflow is never one that an agent has spawned under its name [COL-10]", async () => {
  const backend = castBackend({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "a", name: "reviewer" });
        return "done";
      },
    ],
  });
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("lead", { session: "keep", spawns: true }));
      await context.turn("lead", "go");
      await context.spawn(agent("reviewer"), { isShared: true });
      return null;
    },
    { backend },
  );
  await expect(run.over()).rejects.toThrow(/already part of this run/);
});

test("who may not spawn is offered none of it: children at the limit of depth, shadows, all others [COL-1]", async () => {
  const seen: unknown[] = [];
  const tries: Part = async (call) => {
    seen.push(await call("spawn_agent", { prompt: "x" }));
    return "ok";
  };
  const run = runCast({
    lead: [
      async (call) => {
        await call("spawn_agent", { prompt: "a", name: "child" });
        await call("wait");
        return "done";
      },
    ],
    child: [tries],
  });
  await expect.poll(() => seen).toEqual([{ error: "AGENT_TOOL_NOT_OFFERED" }]);
  await run.stop();
});

test("with two levels a child spawns too, and closing it closes what is below [COL-4, COL-10]", async () => {
  const seen: unknown[] = [];
  const run = runCast(
    {
      lead: [
        async (call) => {
          await call("spawn_agent", { prompt: "a", name: "child" });
          await call("wait");
          seen.push((await call("list_agents"))["agents"]);
          seen.push(await call("close_agent", { id: "child" }));
          seen.push(await call("close_agent", { id: "child" }));
          return "done";
        },
      ],
      child: [
        async (call) => {
          await call("spawn_agent", { prompt: "b", name: "grandchild" });
          await call("wait");
          return "both";
        },
      ],
      grandchild: [says("deep")],
    },
    { spawnLimits: { maxDepth: 2 } },
  );
  await expect.poll(() => seen.length).toBe(3);
  const status = "completed";
  expect(seen).toEqual([
    [
      expect.objectContaining({ id: "child", parent: "lead", status }),
      expect.objectContaining({ id: "grandchild", parent: "child", status }),
    ],
    {
      id: "child",
      previous_status: { status, text: "both" },
      closed: ["child", "grandchild"],
    },
    { id: "child", previous_status: { status: "shutdown", text: "released" }, closed: [] },
  ]);
  await run.stop();
});

test("limits of the run hold for spawned agents, and a closed one makes room [COL-1, AGT-9]", async () => {
  const seen: unknown[] = [];
  const run = runCast(
    {
      lead: [
        async (call) => {
          seen.push(await call("spawn_agent", { prompt: "a" }));
          seen.push(await call("spawn_agent", { prompt: "b" }));
          await call("close_agent", { id: "worker-1" });
          seen.push(await call("spawn_agent", { prompt: "c" }));
          seen.push(await call("resume_agent", { id: "worker-1" }));
          return "done";
        },
      ],
    },
    { spawnLimits: { maxAgents: 2 } },
  );
  await expect.poll(() => seen.length).toBe(4);
  expect(seen).toEqual([
    expect.objectContaining({ id: "worker-1" }),
    { error: "AGENT_LIMIT_RUNNING" },
    expect.objectContaining({ id: "worker-2" }),
    { error: "AGENT_LIMIT_RUNNING" },
  ]);
  await run.stop();
});

const parent: AgentSpec = agent("lead", {
  permissionMode: "ask",
  isolation: "sandbox",
  tools: ["Read", "spawn_agent", "channel_read"],
  constraints: { readOnly: ["*.lock"] },
  env: { A: "1" },
  settings: { systemPrompt: "lead!", command: "x" },
});

test("a child has no more than its parent, whatever its kind says [COL-10, AGT-10, SUB-4]", async () => {
  const run = runAgents(
    async (context) => {
      await context.spawn(parent);
      return null;
    },
    { backend: castBackend({}) },
  );
  await run.over();
  const lead = run.owned.state.agents.get("lead");
  if (lead === undefined) throw new Error("there is no lead");
  const kind = {
    permissionMode: "bypass",
    isolation: "worktree",
    tools: ["Bash", "Read", "channel_send"],
    instructions: "work",
  } as const;
  const request = { prompt: "p", isolation: "worktree" } as const;
  const collabTools = ["spawn_agent"];
  expect(childSpec(lead, { id: "kid", request, kind, collabTools })).toEqual({
    id: "kid",
    role: "worker",
    backend: "played",
    session: "keep",
    reportsTo: "lead",
    spawnedBy: "lead",
    signals: [],
    permissionMode: "ask",
    demandsSignal: false,
    isolation: "sandbox",
    tools: ["Read", "spawn_agent"],
    constraints: { readOnly: ["*.lock"] },
    env: { A: "1" },
    settings: { command: "x", systemPrompt: "work" },
  });
  expect(
    childSpec(lead, { id: "kid", request, kind: { permissionMode: "plan" }, collabTools }),
  ).toMatchObject({
    permissionMode: "plan",
    tools: parent.tools,
  });
  expect(
    childSpec(lead, { id: "kid", request: { ...request, backend: "b" }, kind: {}, collabTools })
      .settings,
  ).toBeUndefined();
});

test("an agent may call only so often within a minute [T5]", async () => {
  let last: unknown;
  const run = runCast({
    lead: [
      async (call) => {
        for (let count = 0; count < 2000; count += 1) {
          last = await call("wait", { ids: ["nobody"] });
          if (JSON.stringify(last).includes("error")) break;
        }
        return "done";
      },
    ],
  });
  await expect.poll(() => last).toEqual({ error: "MESSAGE_RATE_EXCEEDED" });
  await settle();
  await run.stop();
});
