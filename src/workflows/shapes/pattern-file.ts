import type { PatternDefinition } from "../../contracts/definition.ts";
import type { PatternFault } from "../../contracts/ports/pattern.ts";
import { blockKeyOf } from "../../programs/primitives/own-turns.ts";
import { stepOrder } from "../../programs/primitives/step-order.ts";
import { checkConstraints } from "../checks/check-agent-bounds.ts";
import { checkAgents } from "../checks/check-agents.ts";
import { checkBarriers } from "../checks/check-barriers.ts";
import type { CheckContext } from "../checks/check-context.ts";
import { checkBudgets, checkDurations } from "../checks/check-durations.ts";
import { checkIds } from "../checks/check-ids.ts";
import { checkMatrices } from "../checks/check-matrix.ts";
import { checkOrder } from "../checks/check-order.ts";
import { checkParams } from "../checks/check-params.ts";
import { checkReferences } from "../checks/check-references.ts";
import { checkShadow } from "../checks/check-shadow.ts";
import { checkStepValues } from "../checks/check-step-values.ts";
import { checkSupported, isExplainedKey } from "../checks/check-supported.ts";
import { checkTrajectory } from "../checks/check-trajectory.ts";
import { checkVariables } from "../checks/check-variables.ts";
import { roleUnfit, routeTestUnknown } from "../checks/errors.ts";
import { type FileView, textAt, viewFile } from "../checks/file-view.ts";
import type {
  BuilderCall,
  FileReading,
  FileShape,
  ReadWorkflow,
  SaidInCode,
} from "../resolve/file-shape.ts";
import { resolveDefinition } from "../resolve/resolve-definition.ts";
import { backendOrigins } from "../resolve/resolve-shadows.ts";
import { patternFileSchema } from "../schema/pattern-file-schema.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import type { EditorSupport } from "../schema/steps-json-schema.ts";
import {
  entryOf,
  type SourceRange,
  textUnder,
  toValue,
  withoutKeys,
} from "../source/source-node.ts";

/** Files with a pattern; a template has been put into its place before. */
export const patternFile: FileShape = {
  builderCall,
  loadEditors,
  read,
};

/** Only a workflow whose steps are all commands needs no agents. */
const WORKERS = [
  { required: ["agents"] },
  {
    required: ["steps"],
    properties: { steps: { type: "array", items: { type: "object", required: ["command"] } } },
  },
];

/** A pattern workflow says what its workflow is, or which template it starts from. */
async function loadEditors(): Promise<EditorSupport> {
  const [{ editorSchema, OWN_KEYS, propertiesOf }, { templateFileSchema }] = await Promise.all([
    import("../schema/steps-json-schema.ts"),
    import("../templates/resolve-template.ts"),
  ]);
  return {
    when: { anyOf: [{ required: ["pattern"] }, { required: ["template"] }] },
    schema: (sources) => {
      const schema = editorSchema(patternFileSchema(sources), "Pattern workflow");
      const starting = editorSchema(templateFileSchema, "");
      return {
        ...schema,
        properties: { ...propertiesOf(starting), ...propertiesOf(schema) },
        ...OWN_KEYS,
        required: ["name"],
        oneOf: [{ required: ["pattern"], anyOf: WORKERS }, { required: ["template"] }],
      };
    },
  };
}

function builderCall({ settings, steps }: SaidInCode): BuilderCall {
  const { pattern, template, ...rest } = settings;
  const more = steps === undefined ? rest : { ...rest, steps };
  const method = pattern === undefined ? "template" : "pattern";
  const name = pattern ?? template;
  return { method, args: Object.keys(more).length === 0 ? [name] : [name, more] };
}

function read(reading: FileReading): ReadWorkflow | undefined {
  const { options, text } = reading;
  const view = viewFile(reading.root);
  const pattern = options.patterns.find(({ name }) => name === view.pattern);
  const order = pattern === undefined ? undefined : stepOrder(pattern, modeOf(view));
  const context: CheckContext = { view, text, pattern, order, options, report: reading.report };
  const root = withoutKeys(
    reading.root,
    (key) => key.startsWith("x-") || isExplainedKey(key, context),
  );
  for (const { error, range } of schemaProblems(patternFileSchema(options), root))
    reading.report(error, range);
  checkFile(context);
  if (pattern === undefined || !reading.isOk()) return undefined;
  const value = toValue(root);
  const definition = resolveDefinition(value, pattern, options);
  checkMembers(context, definition);
  if (!reading.isOk()) return undefined;
  return { definition, backendOrigins: backendOrigins(value, options) };
}

function modeOf({ root }: FileView): PatternDefinition["mode"] {
  const mode = textAt(entryOf(root, "coordination")?.node, "mode")?.text;
  return mode === "sequential" || mode === "parallel" || mode === "dag" ? mode : undefined;
}

/** Checks all that the schema of a pattern file cannot: what its parts say about each other. */
function checkFile(context: CheckContext): void {
  const checks = [
    checkSupported,
    checkIds,
    checkReferences,
    checkOrder,
    checkBarriers,
    checkStepValues,
    checkMatrices,
    checkDurations,
    checkParams,
    checkAgents,
    checkConstraints,
    checkShadow,
    checkBudgets,
    checkVariables,
    checkTrajectory,
  ];
  for (const check of checks) check(context);
}

/** Checks that those who take part are what the pattern needs: one hub, voters, parents that exist. */
function checkMembers(context: CheckContext, definition: PatternDefinition): void {
  const { pattern, report } = context;
  for (const fault of pattern?.check?.(definition) ?? []) {
    const { problem, hint = "" } = fault;
    report(roleUnfit({ problem, hint }), placeOf(context, fault));
  }
  const { routeTests: known } = context.options;
  for (const test of pattern?.tests?.(definition) ?? [])
    if (known?.includes(test) === false)
      report(routeTestUnknown({ test, known }), placeOfTest(context, test));
}

/** Where the route stands that asks it. */
function placeOfTest(context: CheckContext, test: string): SourceRange {
  const { view, pattern } = context;
  const block = pattern === undefined ? undefined : entryOf(view.root, blockKeyOf(pattern));
  const text = block === undefined ? undefined : textUnder(block.node, "test", test);
  return text ?? placeOf(context, { key: "routes" });
}

/** The key of the block, the agent, or the pattern. */
function placeOf(
  { view, pattern }: CheckContext,
  { agent, key }: Pick<PatternFault, "agent" | "key">,
): SourceRange {
  const block = pattern === undefined ? undefined : entryOf(view.root, blockKeyOf(pattern));
  const entry = key === undefined ? undefined : entryOf(block?.node, key);
  const member = agent === undefined ? undefined : view.agents.find(({ id }) => id === agent);
  const whole = entryOf(view.root, "pattern");
  return entry?.keyRange ?? member?.idRange ?? block?.keyRange ?? whole?.node ?? view.root;
}
