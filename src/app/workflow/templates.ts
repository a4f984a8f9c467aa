import {
  builtInTemplates,
  findTemplate,
  readTemplate,
  type TemplateCount,
  templateSummary,
} from "../../workflows/templates/built-in-templates.ts";
import { unknownTemplate } from "../../workflows/templates/errors.ts";
import { chooseCount } from "../../workflows/templates/resolve-template.ts";
import type { Machine } from "../machine/machine.ts";
import { loadFile } from "./load-file.ts";
import { shapeOf } from "./shapes/registry.ts";

/** What `troupe templates` tells of one. */
export interface TemplateEntry {
  readonly name: string;
  readonly summary: string;
  readonly pattern: string;
  /** Ids, with the default count. */
  readonly agents: readonly string[];
  readonly steps: readonly string[];
  /** What `count` may be, for templates that take it. */
  readonly count: TemplateCount | null;
}

/** The names of all templates. */
export const templateNames: readonly string[] = builtInTemplates.map(({ name }) => name);

/** All templates, as they would be run. */
export function listTemplates(machine: Machine): Promise<readonly TemplateEntry[]> {
  return Promise.all(
    builtInTemplates.map(async (template) => {
      const { name, count = null } = template;
      const { definition } = await loadFile(machine, {
        file: name,
        text: readTemplate(template),
        // Whatever this machine has: only the shape is told.
        backend: "script",
      });
      if (definition === undefined) throw new Error(`the template ${name} is broken`);
      const shape = await shapeOf(definition);
      return {
        name,
        summary: templateSummary(template),
        pattern: shape.label(definition),
        agents: definition.agents.map(({ id }) => id),
        steps: shape.steps(definition).map(({ id }) => id),
        count,
      };
    }),
  );
}

/** A template as the text of a workflow file. Raises WORKFLOW_UNKNOWN_TEMPLATE, WORKFLOW_TEMPLATE_COUNT. */
export function readTemplateText(name: string, count?: string): string {
  const template = findTemplate(name);
  if (template === undefined) throw unknownTemplate({ template: name, known: templateNames });
  const chosen = chooseCount(template, count);
  if (chosen.status === "refused") throw chosen.error;
  return readTemplate(template, chosen.count);
}
