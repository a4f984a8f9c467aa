import { isRecord } from "../../foundation/json.ts";
import type { WorkflowSketch } from "../builder/workflow-sketch.ts";
import { printLiteral } from "./print-literal.ts";

/**
 * A module that builds the workflow and exports it; `ownTypes` are names of step types that are not troupe's. It
 * compiles when the names in it are right.
 */
export function printTypeScript(sketch: WorkflowSketch, ownTypes: readonly string[]): string {
  const { name = "", description, agents, foundAgents } = sketch;
  const calls = [
    ...(description === undefined ? [] : [`describe(${printLiteral(description, 1)})`]),
    ...(agents === undefined ? [] : [`agents(${printLiteral(agents, 1)})`]),
    ...(foundAgents.length === 0 ? [] : [`foundAgents(${names(foundAgents)})`]),
    ...(ownTypes.length === 0 ? [] : [`stepTypes(${names(ownTypes)})`]),
    lastCall(sketch),
  ];
  const chain = calls.map((call) => `\n  .${call}`).join("");
  return `import { workflow } from "troupe";\n\nexport default workflow(${printLiteral(name)})${chain};\n`;
}

function lastCall({ shape, steps, settings }: WorkflowSketch): string {
  const withSteps = steps === undefined ? settings : { ...settings, steps };
  switch (shape) {
    case "steps": {
      const more = Object.keys(settings).length === 0 ? "" : `, ${printLiteral(settings, 1)}`;
      return `steps(${printLiteral(steps ?? {}, 1)}${more})`;
    }
    case "pattern": {
      const { pattern, template, ...rest } = withSteps;
      const name = pattern ?? template;
      const method = pattern === undefined ? "template" : "pattern";
      const more =
        isRecord(rest) && Object.keys(rest).length > 0 ? `, ${printLiteral(rest, 1)}` : "";
      return `${method}(${printLiteral(name)}${more})`;
    }
    case "kickoff":
      return `kickoff(${printLiteral(settings, 1)})`;
  }
}

function names(list: readonly string[]): string {
  return list.map((name) => printLiteral(name)).join(", ");
}
