import type { AgentSpec } from "../../../contracts/agent.ts";
import type { Json } from "../../../foundation/json.ts";
import { isJsonArray } from "../../../foundation/json.ts";
import { assertNoValueInCode, renderArgv, renderCommand } from "./render-command.ts";
import type { VariableLookup } from "./render-template.ts";
import { renderTemplate, variableText } from "./render-template.ts";
import { parseTemplate, type Template, type TemplateSyntax } from "./template.ts";
import { withTaskVariable } from "./values-in-code.ts";

/** How the texts of an agent are filled in. */
interface AgentTexts {
  /** Defaults to `{{name}}`. */
  readonly syntax?: TemplateSyntax;
  /** Fills in what the agent reads, its system prompt. Defaults to what its other texts get. */
  readonly tell?: (text: string) => string;
}

/**
 * An agent whose name, environment, command, arguments and system prompt have their variables filled in.
 * Raises WORKFLOW_UNKNOWN_VARIABLE, WORKFLOW_VALUE_TOO_LARGE.
 */
export function renderAgent(
  spec: AgentSpec,
  lookup: VariableLookup,
  { syntax = "braces", tell }: AgentTexts = {},
): AgentSpec {
  const render = (text: string) => renderTemplate(parseTemplate(text, syntax), lookup);
  const env = Object.entries(spec.env ?? {}).map(([name, text]) => [
    name,
    render(text).replaceAll("\0", "\uFFFD"),
  ]);
  const { settings, commandEnv } = renderSettings(spec.settings ?? {}, {
    lookup,
    tell: tell ?? render,
    syntax,
  });
  const wholeEnv = { ...Object.fromEntries(env), ...commandEnv };
  return {
    ...spec,
    ...(spec.name === undefined ? {} : { name: render(spec.name) }),
    ...(Object.keys(wholeEnv).length === 0 ? {} : { env: wholeEnv }),
    ...(spec.settings === undefined ? {} : { settings }),
  };
}

/** The texts of an agent with variables that are read when it starts, parsed; its name has been given by then. */
export function agentTemplates({ env = {}, settings = {} }: AgentSpec): readonly Template[] {
  const { command, args, systemPrompt } = settings;
  const written = [...Object.values(env), ...[command, args, systemPrompt].flatMap(textsOf)];
  return written.filter((text) => text.includes("{{")).map((text) => parseTemplate(text));
}

function textsOf(value: Json | undefined): readonly string[] {
  return typeof value === "string" ? [value] : (texts(value) ?? []);
}

interface Rendering {
  readonly lookup: VariableLookup;
  readonly tell: (text: string) => string;
  readonly syntax: TemplateSyntax;
}

function renderSettings(
  settings: { readonly [key: string]: Json },
  { lookup, tell, syntax }: Rendering,
): {
  readonly settings: { readonly [key: string]: Json };
  readonly commandEnv: { readonly [name: string]: string };
} {
  const { command, args, systemPrompt } = settings;
  const argv = texts(args);
  const words = [...(texts(command) ?? []), ...(argv ?? [])];
  assertNoValueInCode(
    words.map((word) => withTaskVariable(parseTemplate(word, syntax).parts)),
    syntax,
  );
  const isCommand = typeof command === "string" || texts(command) !== undefined;
  const rendered = isCommand
    ? renderCommand(typeof command === "string" ? command : (texts(command) ?? []), lookup, syntax)
    : undefined;
  return {
    settings: {
      ...settings,
      ...(rendered === undefined ? {} : { command: rendered.command }),
      ...(argv === undefined ? {} : { args: renderArgv(argv, lookup, syntax) }),
      ...placesOf(words, { lookup, syntax }),
      ...(typeof systemPrompt === "string" ? { systemPrompt: tell(systemPrompt) } : {}),
    },
    commandEnv: rendered?.env ?? {},
  };
}

/** Where `{task}` is meant in each argument; only said when a value has it too, which stays as it is. */
function placesOf(
  argv: readonly string[],
  { lookup, syntax }: Pick<Rendering, "lookup" | "syntax">,
): { readonly taskPlaces?: readonly (readonly number[])[] } {
  let isInValue = false;
  const taskPlaces = argv.map((element) => {
    const places: number[] = [];
    let length = 0;
    for (const part of parseTemplate(element, syntax).parts) {
      const text = part.kind === "text" ? part.text : variableText(part, lookup);
      if (part.kind === "text")
        for (const { index } of text.matchAll(/\{task\}/g)) places.push(length + index);
      else isInValue ||= /[{}]/.test(text);
      length += text.length;
    }
    return places;
  });
  return isInValue ? { taskPlaces } : {};
}

function texts(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined || !isJsonArray(value)) return undefined;
  const strings = value.filter((item) => typeof item === "string");
  return strings.length === value.length ? strings : undefined;
}
