import { join } from "node:path";
import { expect, test } from "vitest";
import { childSpec } from "../../../../src/agents/collab/child-spec.ts";
import type { Roles } from "../../../../src/app/machine/effective/find-child-kind.ts";
import { createMachineAt } from "../../../../src/app/machine/machine.ts";
import { createChildKinds } from "../../../../src/app/run/owner/child-kinds.ts";
import { startRun } from "../../../../src/app/run/start-run.ts";
import { createAgentTypeFinder } from "../../../../src/app/workflow/agent-types.ts";
import { loadFile } from "../../../../src/app/workflow/load-file.ts";
import { type AgentSpec, isNamedBy, withoutDisallowed } from "../../../../src/contracts/agent.ts";
import type { ChildRequest } from "../../../../src/contracts/collab.ts";
import type { JournalEvent } from "../../../../src/contracts/events/event.ts";
import { foldAll } from "../../../../src/fold/fold.ts";
import { TroupeError } from "../../../../src/foundation/errors.ts";
import { defineTestWorkflow } from "../../../../src/testing/define-test-workflow.ts";
import { assertLoaded } from "../../../../src/workflows/load-workflow.ts";
import { type ConfigProject, createConfigProject } from "../../machine/config/config-project.ts";

const typeText = (name: string, more = "") =>
  `---\nname: ${name}\ndescription: For tests\n${more}---\nOur own ${name}.\n`;

/** The kinds of agents that a project has. */
function kindsOf({ root, env }: ConfigProject, roles: Roles = {}) {
  const project = { root, troupeDirectory: join(root, ".troupe"), runsDirectory: "", cwd: root };
  const finder = createAgentTypeFinder({ env, project, trustsProject: true });
  return createChildKinds(defineTestWorkflow({ agents: [], steps: [] }), finder, roles);
}

interface ChildAsked {
  readonly role?: string;
  readonly roles: Roles;
}

/** The declaration of a child of this type, whose parent is declared like that. */
async function childOf(
  asked: string | ChildAsked,
  parent: Partial<AgentSpec>,
  {
    project = createConfigProject(),
    ...more
  }: Partial<ChildRequest> & {
    readonly project?: ConfigProject;
  } = {},
) {
  const spec: AgentSpec = { id: "lead", backend: "claude", ...parent };
  const { agents } = foldAll("run", [
    { seq: 1, at: 1, type: "agent-spawned", agent: spec.id, backend: spec.backend, spec },
  ]);
  const lead = agents.get("lead");
  if (lead === undefined) throw new Error("there is no lead");
  const { roles, ...what } = typeof asked === "string" ? { type: asked, roles: {} } : asked;
  const request = { prompt: "go", ...what, ...more };
  const kind = await kindsOf(project, roles).find(request);
  return childSpec(lead, { id: "child", request, kind, collabTools: [] });
}

test("Explore and Plan read only, Bash has a shell alone, general-purpose all that its parent has [COL-10, SUB-2]", async () => {
  const reading = { permissionMode: "plan", tools: ["Read", "Glob", "Grep", "LS"] };
  const parent = { permissionMode: "accept-edits", model: "opus" } as const;
  expect(await childOf("Explore", parent)).toMatchObject({ ...reading, model: "haiku" });
  expect(await childOf("Plan", parent)).toMatchObject({ ...reading, model: "opus" });
  expect(await childOf("Bash", parent)).toMatchObject({
    permissionMode: "accept-edits",
    tools: ["Bash"],
    model: "opus",
  });
  const general = await childOf("general-purpose", parent);
  expect(general).toMatchObject({ permissionMode: "accept-edits", model: "opus" });
  expect(general.tools).toBeUndefined();
  for (const type of ["Explore", "Plan", "Bash", "general-purpose"])
    expect((await childOf(type, parent)).settings?.["systemPrompt"]).toMatch(
      /last message of your turn/,
    );
});

test("a role gives its backend, model and instructions, each in place of the parent's, and no more than the parent may [COL-5]", async () => {
  const roles: Roles = {
    scout: {
      ...{ backend: "codex", model: "small", instructions: "Look.", permissionMode: "bypass" },
      ...{ tools: ["Read", "Write"], isolation: "worktree" },
    },
    worker: { model: "haiku" },
  };
  const parent = { model: "opus", tools: ["Read", "Bash"] };
  expect(await childOf({ role: "scout", roles }, parent)).toMatchObject({
    ...{ backend: "codex", model: "small", permissionMode: "ask", isolation: "worktree" },
    ...{ tools: ["Read"], settings: { systemPrompt: "Look." } },
  });
  const worker = await childOf({ roles }, parent);
  expect(worker).toMatchObject({ backend: "claude", model: "haiku" });
  expect(worker.settings?.["systemPrompt"]).toContain("last message of your turn");
  const own = { worker: { instructions: "Answer in one line." } };
  expect((await childOf({ roles: own }, parent)).settings).toEqual({
    systemPrompt: "Answer in one line.",
  });
  for (const role of ["default", "orchestrator"]) {
    const plain = await childOf({ role, roles }, parent);
    expect([plain.backend, plain.model, plain.settings]).toEqual(["claude", "opus", undefined]);
  }
  await expect(childOf({ role: "scut", roles }, parent)).rejects.toMatchObject({
    code: "COLLAB_KIND_UNKNOWN",
    hint: expect.stringContaining("scout"),
  });
});

test("no type has more than its parent, and one of a model that its backend does not know has its parent's [COL-10]", async () => {
  expect(await childOf("Bash", { permissionMode: "plan", tools: ["Read"] })).toMatchObject({
    permissionMode: "plan",
    tools: [],
  });
  const own = { backend: "codex", model: "gpt-5" };
  expect(await childOf("Explore", own)).toMatchObject({ model: "gpt-5" });
  expect((await childOf("Explore", { backend: "codex" })).model).toBeUndefined();
});

test("a type that somebody describes is meant before the one that every project has [COL-10, SUB-2]", async () => {
  const project = createConfigProject();
  project.write("project/.troupe/agents/explore.md", typeText("Explore", "model: sonnet\n"));
  const child = await childOf("Explore", {}, { project });
  expect(child).toMatchObject({ permissionMode: "ask", model: "sonnet" });
  expect(child.settings?.["systemPrompt"]).toBe("Our own Explore.");
});

test("tools that a type may not use are denied to it although it names no others [COL-10]", async () => {
  const project = createConfigProject();
  const denied = "disallowedTools: Bash, Write, channel_send\n";
  project.write("project/.troupe/agents/careful.md", typeText("careful", denied));
  const disallowedTools = ["Bash", "Write", "channel_send"];
  const child = await childOf("careful", {}, { project });
  expect(child).toMatchObject({ disallowedTools });
  const { tools } = withoutDisallowed(child);
  expect(tools).toEqual(expect.arrayContaining(["Read", "Edit"]));
  for (const denied of disallowedTools) expect(tools).not.toContain(denied);
  const bounded = await childOf("careful", { tools: ["Read", "Bash"] }, { project });
  expect(withoutDisallowed(bounded).tools).toEqual(["Read"]);
  const parent = { disallowedTools: ["Edit"] };
  expect(await childOf("careful", parent, { project })).toMatchObject({
    disallowedTools: ["Edit", ...disallowedTools],
  });
});

test("who asks for a role or a type that there is not is told which there are [COL-10]", async () => {
  const project = createConfigProject();
  project.write("project/.troupe/agents/reviewer.md", typeText("reviewer"));
  const kinds = kindsOf(project);
  expect(await problemOf(() => kinds.find({ type: "Explor" }))).toEqual([
    "COLLAB_KIND_UNKNOWN",
    'there is no type "Explor"',
    'did you mean "Explore"?  known: reviewer, general-purpose, Explore, Plan, Bash',
  ]);
  expect(await problemOf(() => kinds.find({ role: "boss" }))).toEqual([
    "COLLAB_KIND_UNKNOWN",
    'there is no role "boss"',
    "known: default, orchestrator, worker",
  ]);
});

async function problemOf(act: () => Promise<unknown>): Promise<readonly unknown[]> {
  try {
    await act();
  } catch (error) {
    if (error instanceof TroupeError) return [error.code, error.message, error.hint];
    throw error;
  }
  return [];
}

const WORKFLOW =
  "name: one\npattern: dag\nagents: [{ id: lead, spawns: true, permissionMode: bypass }]\nsteps: [{ id: s, agent: lead, prompt: go }]\n";

const CASSETTE = `version: 1
agents:
  lead:
    - do:
        - call: { tool: spawn_agent, arguments: { type: Explore, prompt: Look } }
        - call: { tool: spawn_agent, arguments: { type: general-purpose, prompt: Do } }
        - call: { tool: wait }
      say: "DONE: looked"
  Explore-1: &tries
    - do:
        - permission: { tool: Write, input: { file_path: a.txt }, onDeny: continue }
        - permission: { tool: Read, input: { file_path: a.txt }, onDeny: continue }
      say: over
  general-purpose-1: *tries
`;

test("whoever is spawned to explore may read and change nothing, although its parent may do anything [COL-10, AGT-10]", async () => {
  const project = createConfigProject();
  project.write("project/cassette.yaml", CASSETTE);
  const machine = createMachineAt({ cwd: project.root, env: project.env });
  const cassette = join(project.root, "cassette.yaml");
  const loaded = await loadFile(machine, { file: "one.yaml", text: WORKFLOW, cassette });
  const started = await startRun(machine, assertLoaded(loaded), {
    ...(loaded.cassette === undefined ? {} : { cassette: loaded.cassette }),
  });
  const events: JournalEvent[] = [];
  for await (const event of started.events) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: "run-ended", outcome: "completed" });
  const asked = new Map(
    events.flatMap((event) =>
      event.type === "permission-requested"
        ? [[event.id, `${event.agent} ${event.tool}`] as const]
        : [],
    ),
  );
  const decided = events.flatMap((event) =>
    event.type === "permission-resolved" ? [`${asked.get(event.id)}: ${event.decision}`] : [],
  );
  expect(decided.toSorted()).toEqual([
    "Explore-1 Read: allowed",
    "Explore-1 Write: denied",
    "general-purpose-1 Read: allowed",
    "general-purpose-1 Write: allowed",
  ]);
});

/** What is left of the tools that a subagent could have, layer by layer. */
const LAYERS: readonly {
  readonly what: string;
  readonly parent?: Partial<AgentSpec>;
  readonly type?: string;
  readonly has: readonly string[];
  readonly lacks: readonly string[];
}[] = [
  {
    what: "never what asks people or outlives it",
    has: ["Read", "Write", "Bash", "Task"],
    lacks: ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "TaskOutput", "TaskStop"],
  },
  {
    what: "where it only plans, what ends planning",
    type: "permissionMode: plan\n",
    has: ["Read", "ExitPlanMode"],
    lacks: ["EnterPlanMode", "AskUserQuestion"],
  },
  {
    what: "nothing that its type denies",
    type: "disallowedTools: Bash, mcp__issues\n",
    has: ["Read", "Write", "mcp__other__x"],
    lacks: ["Bash", "mcp__issues__search"],
  },
  {
    what: "only what its type allows",
    type: "tools: Read, Grep\n",
    has: ["Read", "Grep"],
    lacks: ["Write", "Bash", "mcp__other__x"],
  },
  {
    what: "nothing that is denied although it is allowed too",
    type: "tools: Read, Bash\ndisallowedTools: Bash\n",
    has: ["Read"],
    lacks: ["Bash"],
  },
  {
    what: "nothing that its type allows and no subagent has",
    type: "tools: Read, AskUserQuestion, TaskStop\n",
    has: ["Read"],
    lacks: ["AskUserQuestion", "TaskStop"],
  },
  {
    what: "nothing that its parent is denied",
    parent: { disallowedTools: ["Write"] },
    type: "tools: Read, Write\n",
    has: ["Read"],
    lacks: ["Write"],
  },
  {
    what: "nothing that its parent has not",
    parent: { tools: ["Read", "Bash"] },
    type: "tools: Read, Write\n",
    has: ["Read"],
    lacks: ["Write", "Bash"],
  },
];

test.each(LAYERS)(
  "a subagent has, of all tools, $what [SUB-3]",
  async ({ parent, type, has, lacks }) => {
    const project = createConfigProject();
    project.write("project/.troupe/agents/sub.md", typeText("sub", type));
    const child = await childOf("sub", parent ?? {}, { project, subagent: "foreground" });
    const { tools = [], disallowedTools } = withoutDisallowed(child);
    const isLeft = (tool: string) => isNamedBy(tools, tool) && !isNamedBy(disallowedTools, tool);
    for (const tool of has) expect([tool, isLeft(tool)]).toEqual([tool, true]);
    for (const tool of lacks) expect([tool, isLeft(tool)]).toEqual([tool, false]);
  },
);
