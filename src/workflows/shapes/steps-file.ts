import type { StepsDefinition } from "../../contracts/definition.ts";
import type { FlowStep } from "../../contracts/flow-step.ts";
import { waitingPaths } from "../../programs/flow/flow-paths.ts";
import { StepTexts } from "../../programs/flow/step-texts.ts";
import { stepTypeUnknown } from "../../programs/steps/parts/errors.ts";
import { checkConstraints } from "../checks/check-agent-bounds.ts";
import { checkAgents } from "../checks/check-agents.ts";
import { checkBudgets, checkDurations } from "../checks/check-durations.ts";
import { checkIds } from "../checks/check-ids.ts";
import { findCycles } from "../checks/check-order.ts";
import { checkVerifications } from "../checks/check-step-values.ts";
import { checkTrajectory } from "../checks/check-trajectory.ts";
import { textAt } from "../checks/file-view.ts";
import type { FileReading, FileShape, ReadWorkflow } from "../resolve/file-shape.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import { stepsFileSchema } from "../schema/steps-file-schema.ts";
import type { EditorSources, EditorSupport } from "../schema/steps-json-schema.ts";
import { withoutKeys } from "../source/source-node.ts";
import { sharedContext } from "../steps/agents-view.ts";
import { checkAgentTexts, checkTypePrompts } from "../steps/check-agent-texts.ts";
import { checkRoutes } from "../steps/check-routes.ts";
import { findStepAgents } from "../steps/check-step-agents.ts";
import { checkStepTexts } from "../steps/check-step-texts.ts";
import { checkAmongSteps, checkSteps } from "../steps/check-steps.ts";
import { loadChildWorkflows } from "../steps/child-workflows.ts";
import { referenceCycle } from "../steps/errors.ts";
import { declaredAgents, foundAgents, foundPrompts } from "../steps/flow-agents.ts";
import { resolveStepsFile } from "../steps/resolve-steps-file.ts";
import { checkStepIds } from "../steps/step-names.ts";
import { viewSteps } from "../steps/step-view.ts";
import type { StepsCheck } from "../steps/steps-check.ts";

const TYPED_STEP = { type: "object", required: ["type"] } as const;

/** Files whose steps have a type and say where the workflow goes on. */
export const stepsFile: FileShape = {
  builderCall: ({ steps = {}, settings }) => ({
    method: "steps",
    args: Object.keys(settings).length === 0 ? [steps] : [steps, settings],
  }),
  loadEditors,
  read,
};

async function loadEditors(): Promise<EditorSupport> {
  const { OWN_KEYS, stepsJsonSchema } = await import("../schema/steps-json-schema.ts");
  const schemaOf = ({ stepTypes, scriptSchema }: EditorSources) =>
    stepsJsonSchema({ types: stepTypes, scriptSchema });
  return {
    when: { required: ["steps"], properties: { steps: { type: "array", contains: TYPED_STEP } } },
    schema: (sources) => ({ title: "Step workflow", ...schemaOf(sources).file, ...OWN_KEYS }),
    definitions: (sources) => ({ step: schemaOf(sources).step }),
  };
}

function read(reading: FileReading): ReadWorkflow | undefined {
  const { options, text, file, report, readOther } = reading;
  const root = withoutKeys(reading.root, (key) => key.startsWith("x-"));
  const view = viewSteps(root, options.stepTypes ?? []);
  const check: StepsCheck = { view, text, file, options, report };
  for (const { error, range } of schemaProblems(stepsFileSchema(options), root))
    report(error, range);
  checkSteps(check);
  checkStepIds(check);
  checkRoutes(check);
  checkStepTexts(check);
  const declared = checkShared(check);
  const found = findStepAgents(check, declared);
  checkAgentTexts(check, declared);
  checkTypePrompts(check, found);
  const name = textAt(root, "id")?.text ?? "";
  const workflows = loadChildWorkflows({ check, name, readOther });
  if (!reading.isOk()) return undefined;
  const own = declaredAgents(root, options);
  const others = foundAgents(root, found, options);
  const agents = [...own.specs, ...others.specs];
  const parts = { agents, prompts: foundPrompts(found), workflows };
  const definition = resolveStepsFile(view, parts, options);
  checkAmongSteps(check, definition);
  checkReferenceCycles(check, definition);
  const backendOrigins = new Map([...own.origins, ...others.origins]);
  return reading.isOk() ? { definition, backendOrigins } : undefined;
}

/** Checks what step workflows have in common with pattern workflows; what is declared under `agents`. */
function checkShared(check: StepsCheck): ReturnType<typeof sharedContext>["view"]["agents"] {
  const shared = sharedContext(check);
  for (const part of [checkAgents, checkConstraints, checkBudgets, checkDurations, checkTrajectory])
    part(shared);
  checkVerifications(shared);
  checkIds({ ...shared, view: { ...shared.view, steps: [] } });
  return shared.view.agents;
}

/** Checks that no paths which run side by side wait for each other's data (STP-13). */
function checkReferenceCycles(
  { view, options, report }: StepsCheck,
  definition: StepsDefinition,
): void {
  if (!definition.parallel) return;
  const types = new Map((options.stepTypes ?? []).map((type) => [type.name, type]));
  const typeOf = ({ id: step, type: name }: FlowStep) => {
    const type = types.get(name);
    if (type === undefined) throw stepTypeUnknown({ step, type: name, known: [...types.keys()] });
    return type;
  };
  const paths = waitingPaths(definition, {
    texts: new StepTexts(),
    typeOf,
    traitsOf: options.traitsOf,
  });
  const waits = new Map(paths.map(({ start, after }) => [start, after]));
  const steps = new Map(view.top.map((step) => [step.id, step]));
  for (const cycle of findCycles(waits)) {
    const [first = ""] = cycle;
    const range = steps.get(first)?.idRange ?? view.root;
    report(referenceCycle({ path: [...cycle, first] }), range);
  }
}
