import { createMachineAt } from "../../app/machine/machine.ts";
import type { RegisteredWorkflow } from "../../app/workflow/registry/registry-files.ts";
import { openRegistry } from "../../app/workflow/registry/workflow-registry.ts";
import {
  listTemplates,
  readTemplateText,
  type TemplateEntry,
} from "../../app/workflow/templates.ts";
import { toPrintable } from "../../foundation/printable.ts";
import { TROUPE } from "../command/called-as.ts";
import type { ActionOf, Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { EXIT } from "../command/exit-codes.ts";
import type { templatesCommand } from "../commands/templates.ts";
import type { Settings } from "../terminal/settings.ts";
import { alignColumns } from "../terminal/table.ts";

/** `troupe templates`: lists them; `templates show NAME` prints the text of one. */
export const templatesAction: ActionOf<typeof templatesCommand> = async (invocation) => {
  const { io } = invocation;
  const { count, json: isJson } = invocation.options;
  const [action, name] = invocation.args;
  if (action === undefined && count !== undefined)
    throw usageInvalid({ problem: "--count belongs to templates show NAME" });
  const text = action === undefined ? await list(invocation, isJson) : show(name, count, isJson);
  io.stdout.write(text);
  return EXIT.completed;
};

function show(name: string | undefined, count: string | undefined, isJson: boolean): string {
  if (name === undefined)
    throw usageInvalid({
      problem: "name the template to show",
      hint: "troupe templates lists them",
    });
  const text = readTemplateText(name, count);
  return isJson ? `${JSON.stringify({ v: 1, name, text })}\n` : text;
}

async function list({ io, settings }: Invocation, isJson: boolean): Promise<string> {
  const machine = createMachineAt({ cwd: settings.cwd, env: io.env });
  const templates = await listTemplates(machine);
  const registry = await openRegistry({ cwd: settings.cwd, env: io.env });
  const workflows = registry.list();
  if (isJson) {
    const listed = workflows.map(({ id, description = null, path, isTrusted }) => {
      return { id, description, file: path, trusted: isTrusted };
    });
    return `${JSON.stringify({ v: 1, templates, workflows: listed })}\n`;
  }
  const all = templates.flatMap((template) => lines(template, settings));
  return `${[...all, ...workflowLines(workflows, settings)].join("\n")}\n`;
}

/** The workflows of the project, below those that come with troupe. */
function workflowLines(
  workflows: readonly RegisteredWorkflow[],
  { paint }: Settings,
): readonly string[] {
  if (workflows.length === 0) return [];
  const rows = workflows.map(({ id, path, isTrusted, description = "" }) =>
    [`  ${id}`, isTrusted ? path : `${path}  (not trusted: ${TROUPE} trust)`, description].map(
      toPrintable,
    ),
  );
  return [paint("workflows of this project", "message"), ...alignColumns(rows), ""];
}

function lines(template: TemplateEntry, { paint }: Settings): readonly string[] {
  const { name, summary, pattern, agents, steps, count } = template;
  const facts = alignColumns([
    ["  agents", agents.join(", ")],
    ["  steps", `${steps.join(", ")}  (${pattern})`],
    ...(count === null
      ? []
      : [["  params", `count: ${count.of}, 1 to ${count.most}, ${count.default} if not given`]]),
  ]);
  return [paint(name, "message"), `  ${summary}`, ...facts, ""];
}
