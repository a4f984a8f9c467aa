// Writes schemas/*.json and the reference of workflow files from the schemas of the source.
// With --check it writes nothing and fails when a file is not what it would write.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { z } from "zod";
import { cassetteSchema, turnListSchema } from "../src/agents/backends/script/cassette-schema.ts";
import { configSchema } from "../src/app/machine/config/config-schema.ts";
import { testFileSchema } from "../src/app/trial/test-file-schema.ts";
import { workflowShapes } from "../src/app/workflow/shapes/registry.ts";
import {
  STANDING_NAMES,
  STEP_MEMBERS,
  standingNames,
} from "../src/programs/language/pattern-names.ts";
import { builtInPatterns, loadPatterns } from "../src/programs/patterns/registry.ts";
import { loadStepTypes } from "../src/programs/steps/registry.ts";
import { kickoffFileSchema } from "../src/workflows/schema/kickoff-file-schema.ts";
import { patternFileSchema } from "../src/workflows/schema/pattern-file-schema.ts";
import {
  choiceOfShapes,
  type EditorSources,
  editorSchema,
  type JsonSchema,
  type StepTypeSchema,
  sharedDefinitions,
  stepsJsonSchema,
} from "../src/workflows/schema/steps-json-schema.ts";
import { patternFile } from "../src/workflows/shapes/pattern-file.ts";

interface Output {
  readonly file: string;
  readonly text: string;
}

const INTRO = `# Workflow file

This page is generated from the schema that \`troupe validate\` uses: \`npm run schemas\` writes it.

A workflow file is YAML 1.2, or JSON with comments and trailing commas when its name ends in \`.json\`. It has at most 1 MiB,
64 levels and 50 aliases; tags and merge keys are refused. Keys that are not listed here are errors. Keys of your own begin
with \`x-\` and stand at the top level. What says "Not in this version" is refused when it is used.

Ids are letters, digits, \`_\` and \`-\`, begin with a letter and have at most 64 characters. Ids of agents are the same in upper
and lower case; \`system\`, \`user\`, \`human\` and \`all\` are reserved. Durations are \`500ms\`, \`30s\`, \`10m\`, \`2h\`, \`1d\`.
A file with \`pattern\` or \`template\` is a pattern workflow: steps in a form that is decided before. A file whose steps have a
\`type\` is a step workflow: each step says what it does and where to go on. Any other is a kickoff workflow: agents that share a channel
and wake each other with mentions.
`;
const PATTERN_INTRO = `# Pattern workflow

\`agents\` is a list with ids, or a map whose keys are the ids.
`;
const STEPS_INTRO = `# Step workflow

The first step of the list begins; each says where to go on, and one that does not ends its path. Keys are in snake_case. \`agents\` are
those of pattern workflows with their keys in snake_case, such as \`permission_mode\` and \`constraints.file_scope\`; \`budget\` and the
items of \`verify\` likewise. A step may also name an agent type (\`.troupe/agents/NAME.md\`, \`.claude/agents/NAME.md\`) or, as
\`workflow:ID\`, a workflow of the project. A file has at most 10,000 steps, those inside of others included, in 8 levels.
`;
const STEPS_LANGUAGE = `## Variables and conditions of a step workflow

| name | value |
|---|---|
| \`input\` | the input of the workflow |
| \`context.NAME\` | the data of a step by its id or \`output\`, or a key of \`initial_context\` |
| \`context.ID.success\`, \`.error\`, \`.durationMs\`, \`.data\` | what else is known of a step, where its data has no such member |
| \`errors.ID\` | the last failure of a step: \`{code, message}\` |
| \`steps.ID.MEMBER\` | how a step ended, with the [members](#variables) of pattern workflows: \`steps.test.exitCode\`, \`steps.test.error\`. Of a step that runs more than once its latest execution; one that was skipped is so only if it has had none |
| \`NAME\` | in a step with \`input: NAME\`: that data |
| \`item\`, \`index\` | in steps that are repeated: the item and its number, from 0 |

In templates: \`{{context.plan.files}}\`, \`{{#if path}} … {{else}} … {{/if}}\`, \`{{#each path}} {{this.name}} {{@key}} {{@index}} {{/each}}\`;
\`\\{{\` prints two braces. Objects print as JSON. What \`context\` or \`errors\` do not have, and a step that has not run, is false in \`#if\` and empty elsewhere; any other
unknown name is an error. Conditions are the expressions of pattern workflows over the same names; one that cannot be evaluated is a failure
of its step. The name, \`env\`, \`command\`, \`args\` and \`system_prompt\` of agents see \`input\` and \`initial_context\`.
`;
const KICKOFF_INTRO = `# Kickoff workflow

\`agents\` is a map whose keys are the ids. \`params\` and \`budget\` are those of pattern workflows.
`;
const KICKOFF_VARIABLES = `## Variables of a kickoff workflow

| variable | value |
|---|---|
| \`\${{ NAME }}\` | the output of the setup command with \`as: NAME\`, from the next command on |
| \`\${{ params.NAME }}\` | a param |
| \`\${{ env.NAME }}\` | a variable of the environment |
| \`\${{ workflow.name }}\`, \`\${{ workflow.instance }}\`, \`\${{ instance }}\` | this workflow, and which run of it |
| \`\${{ context.channel }}\`, \`\${{ context.document }}\` | the files of channel and document |

\`\\\${{\` prints the three characters. Values are never read as templates or mentions; in a setup command they arrive as variables of
the environment.
`;
const LANGUAGE = `## Variables

In \`prompt\`, \`verify[].command\`, \`verify[].fileExists\` and in the \`name\`, \`command\`, \`args\`, \`env\` and \`systemPrompt\` of agents:

| variable | value |
|---|---|
${standingNames.map((name) => `| \`{{${name}}}\` | ${STANDING_NAMES[name]} |`).join("\n")}
| \`{{params.NAME}}\` | a param |
| \`{{steps.ID.MEMBER}}\` | a step that is certainly over: earlier in a pipeline, reached by \`dependsOn\` in a dag; only in steps |
| \`{{agents.ID.name}}\` | the name of an agent |

The members of a step, the same in step workflows:

| member | value |
|---|---|
${Object.entries(STEP_MEMBERS)
  .map(([member, says]) => `| \`${member}\` | ${says} |`)
  .join("\n")}

\`\\{{\` prints two braces. Values are never read as templates again. In a command that is a list, a value is text of its own
element; in a shell command it arrives as an environment variable, whatever quotes stand around it. A value there has at
most 64 KiB. A variable without a value is an error.

## Conditions

\`when\` is an expression: texts, numbers, \`true\`, \`false\`, \`null\`, lists \`["a", "b"]\`, paths such as \`steps.check-types.status\` or
\`steps["check-types"].status\` (hyphens belong to names: there is no arithmetic), \`== != === !== < <= > >= && || ! ( ) in\`, and
\`length(x)\`, \`contains(x, y)\`, \`startsWith(x, y)\`, \`endsWith(x, y)\`, \`matches(x, "RE2")\`, \`exists(path)\`. Nothing is converted.
Paths are the variables of texts, without the braces. False, null, 0 and the empty text are false. A condition that cannot be evaluated is an error.
`;

const root = join(import.meta.dirname, "..");
const sources: EditorSources = {
  knownPatterns: builtInPatterns,
  patterns: await loadPatterns(),
  stepTypes: await loadStepTypes(),
  scriptSchema: turnListSchema,
};
const dialect = "https://json-schema.org/draft/2020-12/schema";
const patternSchema = editorSchema(patternFileSchema(sources), "");
const kickoffSchema = editorSchema(kickoffFileSchema(sources), "");
const steps = stepsJsonSchema({ types: sources.stepTypes, scriptSchema: turnListSchema });
const patternEditors = await patternFile.loadEditors();
const editors = await Promise.all(
  workflowShapes.map(async (shape) => (await shape.loadFile()).loadEditors()),
);
const definitions = editors.map((support) => support.definitions?.(sources) ?? {});
const workflowSchema: JsonSchema = {
  $schema: dialect,
  title: "Workflow of troupe",
  type: "object",
  properties: { pattern: hinted(patternSchema, "pattern"), steps: hinted(patternSchema, "steps") },
  $defs: { ...Object.assign({}, ...definitions), ...sharedDefinitions },
  ...choiceOfShapes(editors, sources),
};
const outputs: readonly Output[] = [
  { file: "schemas/workflow.schema.json", text: toText(workflowSchema) },
  {
    file: "schemas/cassette.schema.json",
    text: toText(
      toSchema(cassetteSchema, "Script of scripted agents of troupe", { $defs: sharedDefinitions }),
    ),
  },
  {
    file: "schemas/test.schema.json",
    text: toText(
      toSchema(testFileSchema, "Test of workflows of troupe", { $defs: sharedDefinitions }),
    ),
  },
  {
    file: "schemas/config.schema.json",
    text: toText(toSchema(configSchema, "Configuration of troupe", {})),
  },
  {
    file: "docs/reference/workflow-file.md",
    text: reference(
      { ...patternEditors.schema(sources), required: patternSchema["required"] },
      kickoffSchema,
    ),
  },
];

if (process.argv.includes("--check")) checkOutputs();
else writeOutputs();

function writeOutputs(): void {
  for (const { file, text } of outputs) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

function checkOutputs(): void {
  const stale = outputs.filter(({ file, text }) => {
    const path = join(root, file);
    return !existsSync(path) || readFileSync(path, "utf8") !== text;
  });
  for (const { file } of stale) process.stderr.write(`${file} is stale: npm run schemas\n`);
  if (stale.length > 0) process.exitCode = 1;
}

function toSchema(schema: z.ZodType, title: string, extra: JsonSchema): JsonSchema {
  return { $schema: dialect, ...editorSchema(schema, title), ...extra };
}

/** A key without what its value has to be: an editor offers it in a file whose keys do not yet tell its shape. */
function hinted(schema: JsonSchema, key: string): JsonSchema {
  const { description = "" } = members(schema).get(key) ?? {};
  return { description };
}

function toText(schema: JsonSchema): string {
  return `${JSON.stringify(schema, null, 1)}\n`;
}

function reference(schema: JsonSchema, kickoff: JsonSchema): string {
  const top = members(schema);
  const agents = branch(top.get("agents"), "array");
  const steps = items(top.get("steps"));
  const coordination = top.get("coordination");
  return [
    INTRO,
    PATTERN_INTRO,
    section("Top level", schema),
    section("agents", items(agents)),
    section("steps", steps),
    section("steps[].verify", items(members(steps).get("verify"))),
    section("steps[].compensate", members(steps).get("compensate")),
    section("params", record(top.get("params")?.["additionalProperties"])),
    section("coordination", coordination),
    section("coordination.barriers", items(members(coordination).get("barriers"))),
    section("options", top.get("options")),
    section("options.shadow", members(top.get("options")).get("shadow")),
    section("errorHandling", top.get("errorHandling")),
    section("reflection", top.get("reflection")),
    section("pruner", top.get("pruner")),
    section("trajectory", top.get("trajectory")),
    LANGUAGE,
    STEPS_INTRO,
    ...stepSections(),
    STEPS_LANGUAGE,
    KICKOFF_INTRO,
    ...kickoffSections(kickoff),
  ].join("\n");
}

function stepSections(): readonly string[] {
  const top = members(steps.file);
  return [
    section("Top level of a step workflow", steps.file),
    section("agents of a step workflow", items(branch(top.get("agents"), "array"))),
    section("options of a step workflow", top.get("options")),
    section("Every step", steps.standing),
    section("verify of a step", items(members(steps.standing).get("verify"))),
    ...steps.types.map(typeSection),
  ];
}

function typeSection({ name, summary, schema }: StepTypeSchema): string {
  const [heading = "", ...rows] = section(`type: ${name}`, schema).split("\n");
  return [heading, "", `${summary}.`, ...rows].join("\n");
}

function kickoffSections(schema: JsonSchema): readonly string[] {
  const top = members(schema);
  const context = branch(top.get("context"), "object");
  const options = top.get("options");
  return [
    section("Top level of a kickoff workflow", schema),
    section("agents.NAME", record(top.get("agents")?.["additionalProperties"])),
    section("context", context),
    section("context.channel", branch(members(context).get("channel"), "object")),
    section("context.document", branch(members(context).get("document"), "object")),
    section("setup", items(top.get("setup"))),
    section("options of a kickoff workflow", options),
    section("options.bounds", members(options).get("bounds")),
    KICKOFF_VARIABLES,
  ];
}

function section(name: string, schema: JsonSchema | undefined): string {
  const required = new Set(list(schema?.["required"]));
  const rows = [...members(schema)].map(([key, member]) => {
    const { text, fallback } = describe(member);
    const value = required.has(key) ? "required" : fallback;
    return `| \`${key}\` | ${typeName(member)} | ${value} | ${text} |`;
  });
  return `## ${name}\n\n| key | type | default | meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function describe(schema: JsonSchema): { readonly text: string; readonly fallback: string } {
  const whole = typeof schema["description"] === "string" ? schema["description"] : "";
  const [text = "", fallback = ""] = whole.split(/\s*Default: /);
  return { text: escapePipes(text), fallback: escapePipes(fallback.replace(/\.$/, "")) };
}

function typeName(schema: JsonSchema): string {
  const choices = list(schema["enum"]);
  if (choices.length > 0) return choices.map((choice) => `\`${choice}\``).join(" ");
  if (schema["const"] !== undefined) return `\`${String(schema["const"])}\``;
  if (schema["$ref"] !== undefined) return "step";
  const branches = records(schema["anyOf"]);
  if (branches.length > 4) return "object";
  if (branches.length > 0) return [...new Set(branches.map(typeName))].join(" or ");
  if (schema["type"] === "array") return `list of ${typeName(record(schema["items"]) ?? {})}`;
  const names = new Map([
    ["string", "text"],
    ["integer", "whole number"],
    ["boolean", "true or false"],
  ]);
  const type = String(schema["type"] ?? "anything");
  return names.get(type) ?? type;
}

function members(schema: JsonSchema | undefined): ReadonlyMap<string, JsonSchema> {
  const properties = record(schema?.["properties"]) ?? {};
  return new Map(Object.entries(properties).map(([key, member]) => [key, record(member) ?? {}]));
}

function items(schema: JsonSchema | undefined): JsonSchema | undefined {
  return record(schema?.["items"]);
}

function branch(schema: JsonSchema | undefined, type: string): JsonSchema | undefined {
  return records(schema?.["anyOf"]).find((option) => option["type"] === type);
}

function records(value: unknown): readonly JsonSchema[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => record(item) ?? {});
}

function record(value: unknown): JsonSchema | undefined {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : undefined;
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function escapePipes(text: string): string {
  return text.replaceAll("|", "\\|");
}
