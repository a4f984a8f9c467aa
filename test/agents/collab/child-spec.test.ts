import { expect, test } from "vitest";
import { type ChildKind, childSpec, freeChildId } from "../../../src/agents/collab/child-spec.ts";
import type { AgentSpec, PermissionMode } from "../../../src/contracts/agent.ts";
import type { ChildRequest } from "../../../src/contracts/collab.ts";
import { agent, runAgents } from "../agents-run.ts";
import { castBackend } from "./collab-run.ts";

/** The declaration of an agent that one with this declaration asks for. */
async function childOf(
  spec: Partial<AgentSpec>,
  kind: ChildKind = {},
  asked: Partial<ChildRequest> = {},
): Promise<AgentSpec> {
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("lead", spec));
      return null;
    },
    { backend: castBackend({}) },
  );
  await run.over();
  const lead = run.owned.state.agents.get("lead");
  if (lead === undefined) throw new Error("there is no lead");
  const request = { prompt: "p", ...asked };
  return childSpec(lead, { id: "kid", request, kind, collabTools: ["spawn_agent"] });
}

const BARE = {
  ...{ id: "kid", role: "worker", backend: "played", session: "keep" },
  ...{
    reportsTo: "lead",
    spawnedBy: "lead",
    signals: [],
    permissionMode: "ask",
    demandsSignal: false,
  },
};

test("a child of whoever has nothing of its own has nothing of its own [COL-10]", async () => {
  expect(await childOf({})).toStrictEqual(BARE);
});

test("a child has all of its parent that says where and with what it works [COL-10, SUB-4]", async () => {
  const inherited: Partial<AgentSpec> = {
    ...{ cwd: "/far", model: "big", env: { A: "1" }, envFrom: { KEY: "OTHER" }, spawns: true },
    ...{ constraints: { readOnly: ["a"] }, limits: { memoryBytes: 9 }, idleTimeoutMs: 7 },
    ...{ nativeAgents: "allow", channels: ["side"], effort: "low", maxOutputTokens: 5 },
    ...{ mcpServers: { db: { url: "http://db" } }, maxTurns: 4, tools: ["Read"] },
    settings: { command: "x" },
  };
  const child = await childOf({ ...inherited, isolation: "worktree" });
  expect(child).toStrictEqual({ ...BARE, ...inherited });
});

test("what it is told by is its own, and so is what it may spend [COL-8]", async () => {
  const budget = { turns: 3 };
  const asked = { description: "looks", type: "Explore", budget, subagent: "foreground" } as const;
  expect(await childOf({ budget: { turns: 9 } }, {}, asked)).toMatchObject({
    ...{ name: "looks", type: "Explore", subagent: "foreground", budget },
  });
});

test.each<[PermissionMode | undefined, PermissionMode | undefined, PermissionMode]>([
  [undefined, undefined, "ask"],
  [undefined, "bypass", "ask"],
  ["bypass", undefined, "bypass"],
  ["bypass", "accept-edits", "accept-edits"],
  ["accept-edits", "dont-ask", "dont-ask"],
  ["plan", "ask", "plan"],
  ["dont-ask", "delegate", "dont-ask"],
  ["delegate", undefined, "ask"],
  ["delegate", "bypass", "ask"],
  ["delegate", "plan", "plan"],
])(
  "of a parent in mode %s a kind with mode %s works in mode %s [AGT-10]",
  async (own, kind, mode) => {
    const spec = own === undefined ? {} : { permissionMode: own };
    const child = await childOf(spec, kind === undefined ? {} : { permissionMode: kind });
    expect(child.permissionMode).toBe(mode);
  },
);

test("a subagent asks nobody and leaves nothing behind; only one that plans ends planning [SUB-3]", async () => {
  const subagent = { subagent: "foreground" } as const;
  const never = ["AskUserQuestion", "TaskOutput", "TaskStop"];
  const spec = { disallowedTools: ["Bash", "TaskStop"] };
  const kind = { disallowedTools: ["Bash", "Write"] };
  expect((await childOf(spec, kind)).disallowedTools).toEqual(["Bash", "TaskStop", "Write"]);
  expect((await childOf(spec, kind, subagent)).disallowedTools).toEqual([
    ...["EnterPlanMode", "ExitPlanMode", ...never, "Bash", "Write"],
  ]);
  for (const planning of [{ permissionMode: "plan" } as const, {}]) {
    const mode = "plan";
    const child = await childOf(planning, { permissionMode: mode }, subagent);
    expect(child.disallowedTools).toEqual(["EnterPlanMode", ...never]);
  }
  const above = await childOf({ permissionMode: "plan" }, {}, subagent);
  expect(above.disallowedTools).toEqual(["EnterPlanMode", ...never]);
});

test("of two bounds the narrower one holds, and what only one of them says [COL-10, SUB-4]", async () => {
  const [mine, theirs] = [{ url: "http://mine" }, { url: "http://theirs" }];
  const child = await childOf(
    { maxTurns: 9, effort: "low", limits: { memoryBytes: 1 }, mcpServers: { db: mine } },
    {
      ...{ maxTurns: 5, effort: "high", maxOutputTokens: 3 },
      ...{ limits: { memoryBytes: 7, processes: 2 }, mcpServers: { db: theirs, web: theirs } },
    },
    { maxTurns: 7 },
  );
  expect(child).toMatchObject({
    ...{ maxTurns: 5, effort: "high", maxOutputTokens: 3 },
    ...{ limits: { memoryBytes: 1, processes: 2 }, mcpServers: { db: mine, web: theirs } },
  });
  expect((await childOf({ maxTurns: 2 }, {}, { maxTurns: 7 })).maxTurns).toBe(2);
  const { mcpServers } = await childOf({}, { mcpServers: { web: theirs } });
  expect(mcpServers).toEqual({ web: theirs });
});

test("its model is the one asked for, else that of its kind where that means something, else its parent's on the same backend [COL-8, SUB-4]", async () => {
  const modelOf = async (kind: ChildKind, asked: Partial<ChildRequest> = {}) =>
    (await childOf({ model: "big" }, kind, asked)).model;
  expect(await modelOf({ model: "small" }, { model: "asked" })).toBe("asked");
  expect(await modelOf({ model: "small" })).toBe("small");
  expect(await modelOf({ model: "inherit" })).toBe("big");
  expect(await modelOf({ model: "haiku" })).toBe("big");
  expect(await modelOf({ model: "haiku" }, { backend: "claude" })).toBe("haiku");
  expect(await modelOf({ backend: "other" })).toBeUndefined();
  expect(await modelOf({ backend: "other" }, { backend: "played" })).toBe("big");
});

test("it leaves no sandbox of its parent; outside of one it is kept apart as asked for, else as its kind says [AGT-13, COL-10]", async () => {
  const isolationOf = async (
    own: AgentSpec["isolation"],
    kind: ChildKind["isolation"],
    asked: ChildRequest["isolation"],
  ) => {
    const child = await childOf(
      own === undefined ? {} : { isolation: own },
      kind === undefined ? {} : { isolation: kind },
      asked === undefined ? {} : { isolation: asked },
    );
    return child.isolation;
  };
  expect(await isolationOf("sandbox", "worktree", "worktree")).toBe("sandbox");
  expect(await isolationOf(undefined, "sandbox", "worktree")).toBe("worktree");
  expect(await isolationOf(undefined, "sandbox", undefined)).toBe("sandbox");
  expect(await isolationOf("worktree", undefined, undefined)).toBeUndefined();
});

test("of tools it gets what its kind and its parent both name, and what its parent has to deal with agents [COL-10]", async () => {
  expect((await childOf({}, { tools: ["Bash", "Read"] })).tools).toEqual(["Bash", "Read"]);
  const tools = ["Read", "spawn_agent"];
  expect((await childOf({ tools })).tools).toEqual(tools);
  expect((await childOf({ tools }, { tools: ["Bash", "Read"] })).tools).toEqual(tools);
});

test("an agent without a name has the one of its type, else of its role, with the first number that is free [COL-8, PAT-spawned.place]", () => {
  const taken = new Set(["worker-1", "worker-2", "Explore-1"]);
  const idOf = (asked: Partial<ChildRequest>) =>
    freeChildId({ prompt: "p", ...asked }, (id) => taken.has(id));
  expect(idOf({})).toBe("worker-3");
  expect(idOf({ type: "Explore", role: "default" })).toBe("Explore-2");
  expect(idOf({ role: "default" })).toBe("default-1");
  expect(idOf({ type: "x".repeat(80) })).toBe(`${"x".repeat(50)}-1`);
  expect(() => idOf({ name: "worker-1" })).toThrow(
    'an agent cannot be called "worker-1": that name is taken',
  );
  expect(() => idOf({ name: "User" })).toThrow("it stands for somebody else");
});
