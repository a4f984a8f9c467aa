import { expect } from "vitest";
import { configOf } from "../../../../src/app/machine/effective/effective-config.ts";
import { createWorkflowRegistry } from "../../../../src/app/workflow/registry/workflow-registry.ts";
import { createConfigProject } from "../../../app/machine/config/config-project.ts";
import { codesOf, run } from "./source-run.ts";
import { statements } from "./statement.ts";

const CHILD = JSON.stringify({
  id: "feature-dev",
  description: "Plan and code",
  steps: [{ id: "plan", type: "transform", transform: "input" }],
});
const user = (id = "main") => ({
  id,
  steps: [{ id: "sub", type: "agent", agent: "workflow:feature-dev" }],
});

/** The registry of a project with one workflow in its directory. */
async function registryOf(config = "", path = ".troupe/workflows/feature-dev.json") {
  const made = createConfigProject({ project: config });
  made.write(`project/${path}`, CHILD);
  const machine = made.machine({ trustsProject: true });
  const workflowRegistry = createWorkflowRegistry(machine, await configOf(machine));
  return { workflowRegistry, projectRoot: made.root };
}

/** What the source says of a directory of workflows, and of workflows as agents. */
export const directory = statements([
  {
    says: "a workflow of the directory is the agent `workflow:ID`; what it came to is the data",
    check: async () => {
      const end = await run(user(), { load: await registryOf(), input: "dark mode" });
      expect(end.outcome).toBe("completed");
      expect(end.flow.context["sub"]).toMatchObject({ outcome: "completed", output: "dark mode" });
    },
  },
  {
    says: "`workflows_dir` says where they are",
    decidedBy: "STP-11",
    check: async () => {
      const load = await registryOf("workflows: { dir: ../flows }\n", "flows/feature-dev.json");
      expect(codesOf(user(), load)).toEqual([]);
    },
  },
  {
    says: "`enabled: false` takes all of them out of use",
    check: async () => {
      const load = await registryOf("workflows: { enabled: false }\n");
      expect(codesOf(user(), load)).toEqual(["WORKFLOW_UNKNOWN_WORKFLOW"]);
    },
  },
  {
    says: "a single one can be taken out of use; the source says so at the workflow, here `disabled` lists them",
    decidedBy: "STP-11",
    check: async () => {
      const load = await registryOf("workflows: { disabled: [feature-dev] }\n");
      expect(codesOf(user(), load)).toEqual(["WORKFLOW_DISABLED"]);
    },
  },
  {
    says: "`visible_to` names who may use it",
    check: async () => {
      const load = await registryOf("workflows: { visibleTo: { feature-dev: [plan, build] } }\n");
      expect(codesOf(user("plan"), load)).toEqual([]);
      expect(codesOf(user("other"), load)).toEqual(["WORKFLOW_NOT_VISIBLE"]);
    },
  },
  {
    says: "a workflow that nothing knows is found at load",
    check: async () => {
      const steps = [{ id: "sub", type: "agent", agent: "workflow:feature-div" }];
      expect(codesOf({ id: "main", steps }, await registryOf())).toEqual([
        "WORKFLOW_UNKNOWN_WORKFLOW",
      ]);
    },
  },
]);
