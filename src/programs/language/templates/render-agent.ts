import type { AgentSpec } from "../../../contracts/agent.ts";
import type { Json } from "../../../foundation/json.ts";
import { isJsonArray } from "../../../foundation/json.ts";
import { renderArgv, renderCommand } from "./render-command.ts";
import type { VariableLookup } from "./render-template.ts";
import { renderTemplate } from "./render-template.ts";
import { parseTemplate, type TemplateSyntax } from "./template.ts";

/**
 * An agent whose name, environment, command, arguments and system prompt have their variables filled in.
 * Raises WORKFLOW_UNKNOWN_VARIABLE, WORKFLOW_VALUE_TOO_LARGE.
 */
export function renderAgent(
  spec: AgentSpec,
  lookup: VariableLookup,
  syntax: TemplateSyntax = "braces",
): AgentSpec {
  const render = (text: string) => renderTemplate(parseTemplate(text, syntax), lookup);
  const env = Object.entries(spec.env ?? {}).map(([name, text]) => [
    name,
    render(text).replaceAll("\0", "\uFFFD"),
  ]);
  const { settings, commandEnv } = renderSettings(spec.settings ?? {}, { lookup, render, syntax });
  const wholeEnv = { ...Object.fromEntries(env), ...commandEnv };
  return {
    ...spec,
    ...(spec.name === undefined ? {} : { name: render(spec.name) }),
    ...(Object.keys(wholeEnv).length === 0 ? {} : { env: wholeEnv }),
    ...(spec.settings === undefined ? {} : { settings }),
  };
}

interface Rendering {
  readonly lookup: VariableLookup;
  readonly render: (text: string) => string;
  readonly syntax: TemplateSyntax;
}

function renderSettings(
  settings: { readonly [key: string]: Json },
  { lookup, render, syntax }: Rendering,
): {
  readonly settings: { readonly [key: string]: Json };
  readonly commandEnv: { readonly [name: string]: string };
} {
  const { command, args, systemPrompt } = settings;
  const argv = texts(args);
  const isCommand = typeof command === "string" || texts(command) !== undefined;
  const rendered = isCommand
    ? renderCommand(typeof command === "string" ? command : (texts(command) ?? []), lookup, syntax)
    : undefined;
  return {
    settings: {
      ...settings,
      ...(rendered === undefined ? {} : { command: rendered.command }),
      ...(argv === undefined ? {} : { args: renderArgv(argv, lookup, syntax) }),
      ...(typeof systemPrompt === "string" ? { systemPrompt: render(systemPrompt) } : {}),
    },
    commandEnv: rendered?.env ?? {},
  };
}

function texts(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined || !isJsonArray(value)) return undefined;
  const strings = value.filter((item) => typeof item === "string");
  return strings.length === value.length ? strings : undefined;
}
