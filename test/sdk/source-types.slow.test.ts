import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import {
  type AgentCli,
  type AgentResult,
  type CascadeOptions,
  type CascadeTier,
  type ConsensusOptions,
  cascade,
  consensus,
  type DagNode,
  type DagOptions,
  type DebateOptions,
  dag,
  debate,
  fanOut,
  type HandoffOptions,
  type HandoffRoute,
  type HierarchicalAgent,
  type HierarchicalOptions,
  type HubAndSpokeOptions,
  handoff,
  hierarchical,
  hubAndSpoke,
  type IterationCondition,
  iterate,
  loadWorkflow,
  type MeshOptions,
  mesh,
  type PipelineStage,
  pipeline,
  type ReflectionAdjustment,
  type ReflectionContext,
  type ReflectionEvent,
  runWorkflow,
  type TaskDefinition,
  type TrajectoryOptions,
  type WorkflowOptions,
  type WorkflowResult,
  type WorkflowRun,
  type YamlAgent,
  type YamlStep,
  type YamlWorkflow,
} from "../../src/index.ts";

const done = (text: string) => ({ script: [{ say: `DONE: ${text}` }] });

function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "troupe-source-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test("the functions of relay take and return its types under its names [SDK-5.types]", () => {
  expectTypeOf(fanOut).parameter(0).toEqualTypeOf<readonly TaskDefinition[]>();
  expectTypeOf(fanOut).returns.toExtend<WorkflowRun>();
  expectTypeOf(pipeline).parameter(0).toEqualTypeOf<readonly PipelineStage[]>();
  expectTypeOf(hubAndSpoke).parameter(0).toEqualTypeOf<HubAndSpokeOptions>();
  expectTypeOf(consensus).parameter(0).toEqualTypeOf<ConsensusOptions>();
  expectTypeOf(mesh).parameter(0).toEqualTypeOf<MeshOptions>();
  expectTypeOf(handoff).parameter(0).toEqualTypeOf<HandoffOptions>();
  expectTypeOf<HandoffOptions["routes"][number]>().toEqualTypeOf<HandoffRoute>();
  expectTypeOf(cascade).parameter(0).toEqualTypeOf<CascadeOptions>();
  expectTypeOf<CascadeOptions["tiers"][number]>().toEqualTypeOf<CascadeTier>();
  expectTypeOf(dag).parameter(0).toEqualTypeOf<DagOptions>();
  expectTypeOf<DagOptions["nodes"][number]>().toEqualTypeOf<DagNode>();
  expectTypeOf(debate).parameter(0).toEqualTypeOf<DebateOptions>();
  expectTypeOf(hierarchical).parameter(0).toEqualTypeOf<HierarchicalOptions>();
  expectTypeOf<HierarchicalOptions["agents"][number]>().toEqualTypeOf<HierarchicalAgent>();
  expectTypeOf<Awaited<WorkflowRun["result"]>>().toEqualTypeOf<WorkflowResult>();
  expectTypeOf<WorkflowResult["agents"][number]>().toEqualTypeOf<AgentResult>();
  expectTypeOf<AgentCli>().toExtend<NonNullable<TaskDefinition["cli"]>>();
  expectTypeOf<YamlWorkflow["agents"][number]>().toEqualTypeOf<YamlAgent>();
  expectTypeOf<NonNullable<YamlWorkflow["steps"]>[number]>().toEqualTypeOf<YamlStep>();
  expectTypeOf<{ readonly count: 3 }>().toExtend<IterationCondition>();
  expect(iterate).toBeTypeOf("function");
});

test("a hub with a trajectory adjusts agents that are stuck, as relay's documents call it [SDK-8.examples]", async () => {
  const events: ReflectionEvent[] = [];
  const asked: ReflectionContext[] = [];
  const trajectory: TrajectoryOptions = {
    enabled: true,
    agentName: "workflow-orchestrator",
    taskSource: { system: "beads", id: "beads-abc123" },
  };
  const run = hubAndSpoke({
    hub: { task: "Coordinate building a REST API", name: "Lead", ...done("built") },
    workers: [
      { task: "Implement database models", name: "DbWorker", ...done("models") },
      { task: "Implement route handlers", name: "ApiWorker", ...done("routes") },
    ],
    trajectory,
    reflectionThreshold: 8,
    onReflect: async (ctx) => {
      asked.push(ctx);
      const stuck = [...ctx.agentStatuses.entries()].filter(([, status]) => status === "stuck");
      if (stuck.length === 0) return null;
      return stuck.map(([name]): ReflectionAdjustment => {
        return { agent: name, action: "message" as const, content: "You appear stuck." };
      });
    },
    onReflectionComplete: (event) => {
      events.push(event);
    },
    cwd: emptyDirectory(),
  });
  expect((await run.result).success).toBe(true);
  expect(events.length).toBe(asked.length);
});

test("a file is loaded and run with overrides, as relay's documents call it [SDK-8.examples]", async () => {
  const cwd = emptyDirectory();
  const agent: YamlAgent = { id: "dev", backend: "script", ...done("all") };
  const step: YamlStep = { id: "build", agent: "dev", prompt: "Build {{task}}" };
  const file: YamlWorkflow = {
    ...{ version: "1.0", name: "feature-dev", pattern: "dag" },
    ...{ agents: [agent], steps: [step] },
  };
  writeFileSync(join(cwd, "feature-dev.json"), JSON.stringify(file));
  const workflow = await loadWorkflow("feature-dev.json", { cwd, backend: "script" });
  const overrides: WorkflowOptions = {
    timeoutMs: 20 * 60_000,
    onReflect: async () => null,
  };
  const given = { ...overrides, cwd, store: "memory" } as const;
  const { result } = runWorkflow(workflow, "Add user authentication with OAuth2", given);
  expect(await result).toMatchObject({ success: true, pattern: "dag" });
});
