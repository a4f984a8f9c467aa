import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  cascade,
  consensus,
  debate,
  handoff,
  hierarchical,
  hubAndSpoke,
  loadWorkflow,
  mesh,
  runWorkflow,
  type WorkflowRun,
  workflow,
} from "../../src/index.ts";

let directory: string;
let asked: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "troupe-refused-"));
  asked = 0;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const agent = (name: string) => ({
  name,
  task: "work",
  run: () => {
    asked += 1;
    return "DONE: it";
  },
});
const here = () => ({ cwd: directory });

interface Refused {
  readonly begin: () => WorkflowRun;
  readonly code: string;
  readonly message: string;
}

const CASES: readonly (readonly [string, Refused])[] = [
  [
    "consensus with weights of strangers",
    {
      begin: () =>
        consensus({ ...here(), proposal: "p", voters: [agent("a")], weights: { eve: 2 } }),
      code: "WORKFLOW_ROLE",
      message: "eve",
    },
  ],
  [
    "consensus with a threshold over 1",
    {
      begin: () =>
        consensus({
          ...here(),
          proposal: "p",
          voters: [agent("a"), agent("b")],
          consensusType: "supermajority",
          threshold: 67,
        }),
      code: "WORKFLOW_VALUE",
      message: "consensus.threshold",
    },
  ],
  [
    "mesh without a round",
    {
      begin: () => mesh({ ...here(), goal: "g", agents: [agent("a")], maxRounds: 0 }),
      code: "WORKFLOW_VALUE",
      message: "mesh.maxRounds",
    },
  ],
  [
    "handoff with half a hand-over",
    {
      begin: () =>
        handoff({
          ...here(),
          entryPoint: agent("a"),
          routes: [{ agent: agent("b"), condition: "c" }],
          maxHandoffs: 0.5,
        }),
      code: "WORKFLOW_TYPE",
      message: "handoff.maxHandoffs",
    },
  ],
  [
    "cascade with a threshold below 0",
    {
      begin: () => cascade({ ...here(), tiers: [{ agent: agent("a"), confidenceThreshold: -1 }] }),
      code: "WORKFLOW_VALUE",
      message: "cascade.tiers.0.confidenceThreshold",
    },
  ],
  [
    "a debate with one debater",
    {
      begin: () => debate({ ...here(), topic: "t", debaters: [agent("a")] }),
      code: "WORKFLOW_ROLE",
      message: "2 debaters",
    },
  ],
  [
    "a tree with a cycle",
    {
      begin: () =>
        hierarchical({
          ...here(),
          agents: [
            { ...agent(""), id: "l", role: "lead" },
            { ...agent(""), id: "a", role: "coordinator", reportsTo: "b" },
            { ...agent(""), id: "b", role: "coordinator", reportsTo: "a" },
          ],
        }),
      code: "WORKFLOW_ROLE",
      message: "a",
    },
  ],
  [
    "hub-spoke without a worker",
    {
      begin: () => hubAndSpoke({ ...here(), hub: agent("h"), workers: [], hubCanSpawn: false }),
      code: "WORKFLOW_ROLE",
      message: "worker",
    },
  ],
  [
    "the content of a file with two hubs",
    {
      begin: () =>
        runWorkflow(
          {
            pattern: "hub-spoke",
            agents: [
              { id: "a", role: "hub", backend: "script" },
              { id: "b", role: "hub", backend: "script" },
            ],
          },
          "t",
          here(),
        ),
      code: "WORKFLOW_ROLE",
      message: "hub",
    },
  ],
  [
    "the builder with one debater",
    {
      begin: () =>
        workflow("w").agent("a", { backend: "script" }).pattern("debate").run("t", here()),
      code: "WORKFLOW_ROLE",
      message: "2 debaters",
    },
  ],
];

test.each(CASES)("%s is refused before anything starts [SDK-1.refused]", async (_name, refused) => {
  const run = refused.begin();
  await expect(run.result).rejects.toMatchObject({
    code: "WORKFLOW_INVALID",
    details: {
      problems: expect.arrayContaining([
        expect.objectContaining({
          code: refused.code,
          message: expect.stringContaining(refused.message),
        }),
      ]),
    },
  });
  await expect(run.parted).rejects.toMatchObject({ code: "WORKFLOW_INVALID" });
  expect(asked).toBe(0);
  const runs = join(directory, ".troupe/runs");
  expect(existsSync(runs) ? readdirSync(runs) : []).toEqual([]);
});

test("a loaded workflow that was changed afterwards is checked again [SDK-1.refused]", async () => {
  const file = join(directory, "w.json");
  const agents = ["a", "b"].map((id) => ({ id, backend: "script" }));
  writeFileSync(file, JSON.stringify({ name: "w", pattern: "debate", agents }));
  const loaded = await loadWorkflow(file, here());
  const { definition } = loaded;
  const changed = { ...loaded, definition: { ...definition, agents: definition.agents.slice(1) } };
  await expect(runWorkflow(changed, "t", here()).result).rejects.toMatchObject({
    code: "WORKFLOW_INVALID",
    hint: expect.stringContaining("positions"),
  });
});
