import { isRecord } from "../../foundation/json.ts";
import type { WorkflowSketch } from "../builder/workflow-sketch.ts";
import { notSupported } from "../checks/errors.ts";
import type { ReadableShape } from "../resolve/file-shape.ts";

/**
 * A module that builds the workflow and exports it; WORKFLOW_NOT_SUPPORTED for shapes that have files only. `ownTypes` are names of step types that are not troupe's. It
 * compiles when the names in it are right.
 */
export function printTypeScript(
  sketch: WorkflowSketch,
  { shape, ownTypes }: { readonly shape: ReadableShape; readonly ownTypes: readonly string[] },
): string {
  const last = shape.builderCall?.(sketch);
  if (last === undefined)
    throw notSupported({
      what: `write a ${shape.name} workflow in TypeScript`,
      hint: "convert it to yaml or json",
    });
  const { name = "", description, agents, foundAgents } = sketch;
  const calls = [
    ...(description === undefined ? [] : [`description(${printLiteral(description, 1)})`]),
    ...(agents === undefined ? [] : [`agents(${printLiteral(agents, 1)})`]),
    ...(foundAgents.length === 0 ? [] : [`foundAgents(${names(foundAgents)})`]),
    ...(ownTypes.length === 0 ? [] : [`stepTypes(${names(ownTypes)})`]),
    `${last.method}(${last.args.map((each) => printLiteral(each, 1)).join(", ")})`,
  ];
  const chain = calls.map((call) => `\n  .${call}`).join("");
  return `import { workflow } from "troupe";\n\nexport default workflow(${printLiteral(name)})${chain};\n`;
}

function names(list: readonly string[]): string {
  return list.map((name) => printLiteral(name)).join(", ");
}

const INDENT = "  ";

const MAX_LINE_CHARS = 100;

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** A JSON value as TypeScript, beginning at some depth; on one line where it fits. */
function printLiteral(value: unknown, depth = 0): string {
  if (typeof value === "string") return printText(value);
  if (Array.isArray(value)) return printList(value, depth);
  if (isRecord(value)) return printObject(value, depth);
  return JSON.stringify(value);
}

/** A text with line ends is a template literal, so that people can read it. */
function printText(text: string): string {
  if (!text.includes("\n") || /[\r\u2028\u2029]/.test(text)) return JSON.stringify(text);
  return `\`${text.replace(/[\\`]|\$(?=\{)/g, "\\$&")}\``;
}

function printList(items: readonly unknown[], depth: number): string {
  const inline = `[${items.map((item) => printLiteral(item, depth)).join(", ")}]`;
  if (fits(inline, depth)) return inline;
  const inner = INDENT.repeat(depth + 1);
  const lines = items.map((item) => `${inner}${printLiteral(item, depth + 1)},\n`);
  return `[\n${lines.join("")}${INDENT.repeat(depth)}]`;
}

function printObject(value: object, depth: number): string {
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  if (members.length === 0) return "{}";
  const print = ([key, member]: [string, unknown], at: number) =>
    `${printKey(key)}: ${printLiteral(member, at)}`;
  const inline = `{ ${members.map((member) => print(member, depth)).join(", ")} }`;
  if (fits(inline, depth)) return inline;
  const inner = INDENT.repeat(depth + 1);
  const lines = members.map((member) => `${inner}${print(member, depth + 1)},\n`);
  return `{\n${lines.join("")}${INDENT.repeat(depth)}}`;
}

function printKey(key: string): string {
  // Written plainly this one would set the prototype.
  if (key === "__proto__") return '["__proto__"]';
  return IDENTIFIER.test(key) ? key : JSON.stringify(key);
}

function fits(text: string, depth: number): boolean {
  return !text.includes("\n") && text.length + depth * INDENT.length <= MAX_LINE_CHARS - 20;
}
