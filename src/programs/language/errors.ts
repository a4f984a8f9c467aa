import { defineError, TroupeError } from "../../foundation/errors.ts";
import { didYouMean, nearestName } from "../../foundation/near-names.ts";

/** Where in an expression or template a fault lies: UTF-16 offsets, the end exclusive. */
export interface Offsets {
  readonly start: number;
  readonly end: number;
}

export const expressionSyntax = defineError("EXPRESSION_SYNTAX", {
  message: (details: { reason: string; span: Offsets }) =>
    `the expression cannot be read: ${details.reason}`,
  hint: () => 'compare paths with values, texts in quotes: PATH == "text" && PATH > 2',
  about:
    'Expressions have literals, lists, paths (steps.plan.output, steps["check-types"].status), == != === !== < <= > >= && || ! in ( ) and the functions length, contains, startsWith, endsWith, matches, exists. There is no arithmetic, so a hyphen belongs to a name.',
});

/** The error of an expression that cannot be read, with one that can where it stands; any other as it is. */
export function withExample(error: TroupeError, example: string): TroupeError {
  const { code, message, details } = error;
  if (code !== expressionSyntax.code) return error;
  return new TroupeError({ code, message, details, hint: `write it like: ${example}` });
}

export const expressionLimit = defineError("EXPRESSION_LIMIT", {
  message: (details: { reason: string; span: Offsets }) =>
    `the expression asks for too much: ${details.reason}`,
  hint: () => "make it smaller, or decide in a step of its own",
  about:
    "An expression has at most 4,096 characters and 32 levels; its evaluation has a fixed amount of steps, which texts and regular expressions use up by their size.",
});

export const expressionUnknownPath = defineError("EXPRESSION_UNKNOWN_PATH", {
  message: (details: { path: string; missing: string; known: readonly string[]; span: Offsets }) =>
    details.missing === details.path
      ? `there is never a value at "${details.path}"`
      : `"${details.path}" leads nowhere: there is no "${details.missing}"`,
  hint: ({ missing, known }) => didYouMean(missing, known),
  about:
    "A path in an expression must lead to a value. A condition that cannot be evaluated is an error, never false. Ask with exists(path) where a value may be absent.",
});

export const expressionType = defineError("EXPRESSION_TYPE", {
  message: (details: { operation: string; expected: string; found: string; span: Offsets }) =>
    `${details.operation} needs ${details.expected}, got ${details.found}`,
  about:
    "Operators and functions of expressions convert nothing: < compares two numbers or two texts, contains takes a text or a list.",
});

export const expressionFunction = defineError("EXPRESSION_UNKNOWN_FUNCTION", {
  message: (details: { name: string; known: readonly string[]; span: Offsets }) =>
    `there is no function "${details.name}"`,
  hint: ({ name, known }) => didYouMean(name, known),
  about: "The functions are length, contains, startsWith, endsWith, matches and exists.",
});

export const regexInvalid = defineError("EXPRESSION_REGEX", {
  message: (details: { pattern: string; reason: string }) =>
    `"${shorten(details.pattern)}" is not a usable regular expression: ${details.reason}`,
  hint: () => "use RE2 syntax: no look-around and no back-references; repeat counts stay small",
  about:
    "Regular expressions are matched in linear time (RE2 syntax, at most 1,000 characters and 30 classes such as \\p{L}), so that no pattern can stop a run.",
});

export const regexTextTooLarge = defineError("EXPRESSION_REGEX_TEXT_TOO_LARGE", {
  message: (details: { pattern: string; chars: number }) =>
    `a text of ${details.chars} characters is too large for the regular expression "${shorten(details.pattern)}"`,
  hint: () => "make the pattern simpler, or check the text with a command",
  about: "The size of the text times the size of the compiled pattern is bounded.",
});

export const templateSyntax = defineError("WORKFLOW_TEMPLATE_SYNTAX", {
  message: (details: { found: string; reason: string; span: Offsets; isPrompt?: boolean }) =>
    details.isPrompt === true
      ? `"${shorten(details.found)}" cannot be read: ${details.reason}`
      : `"${shorten(details.found)}" is not a variable: ${details.reason}`,
  hint: ({ found, isPrompt }) => {
    if (found.startsWith("$"))
      return "write ${{ task }} or ${{ params.target }}; to print the characters write \\${{";
    const example =
      isPrompt === true
        ? "{{input}} or {{context.plan.files}}"
        : "{{task}} or {{steps.plan.output}}";
    return `write ${example}; to print the braces write \\{{`;
  },
  about:
    "{{ begins a variable in a pattern workflow and in a step workflow, ${{ in a kickoff workflow: a path of names and dots, such as {{params.target}}. A backslash before it prints it. Each shape expands its own form only: where {{ begins a variable, braces after a dollar sign are plain text, and in a kickoff workflow braces without one are. Prompts of step workflows also have {{#if name}}…{{else}}…{{/if}} and {{#each name}}…{{this.name}} {{@key}} {{@index}}…{{/each}}, 16 levels deep at most; other helpers do not exist.",
});

export const unknownVariable = defineError("WORKFLOW_UNKNOWN_VARIABLE", {
  message: (details: {
    name: string;
    known: readonly string[];
    form?: "${{";
    /** What sets a variable, by its name. */
    origins?: { readonly [name: string]: string };
  }) =>
    details.form === "${{"
      ? `variable \${{ ${details.name} }} is not set`
      : `variable {{${details.name}}} is not set`,
  hint: ({ name, known, origins = {} }) => {
    const hint = didYouMean(name, known);
    const nearest = nearestName(name, known) ?? "";
    return Object.hasOwn(origins, nearest) ? `${hint} (${origins[nearest]} sets ${nearest})` : hint;
  },
  about:
    "Variables of pattern workflows are {{task}}, {{id}}, {{params.NAME}}, {{steps.ID.output}}, {{steps.ID.error}} and the other members of a step that is over, {{git.diff}}, {{git.branch}} and {{agents.ID.name}}. Those of kickoff workflows are ${{ NAME }} for the output of a setup command, ${{ task }}, ${{ params.NAME }}, ${{ env.NAME }}, ${{ workflow.name }}, ${{ workflow.instance }}, ${{ instance }}, ${{ context.channel }} and ${{ context.document }}. Those of step workflows are {{input}}, {{context.STEP}}, {{errors.STEP}}, {{steps.STEP.output}} and the other members of a step that is over, what the step names as its input, inside of for_each and loop {{item}} and {{index}}, and inside of {{#each}} {{this}}, {{@key}} and {{@index}}; there a step that has no data yet is empty text and false in {{#if}}. Any other variable without a value is an error, never empty text.",
});

export const promptNoList = defineError("WORKFLOW_NOT_A_LIST", {
  message: (details: { name: string; found: string; span: Offsets }) =>
    `{{#each ${details.name}}} needs a list or an object, got ${details.found}`,
  hint: ({ name }) => `print it with {{${name}}}, or have the step before answer with JSON`,
  about:
    "{{#each}} in a prompt goes through the items of a list or the members of an object. A value that is missing or null has none, and a text, a number or a truth value is a mistake.",
});

export const promptTooLarge = defineError("WORKFLOW_PROMPT_TOO_LARGE", {
  message: (details: { name: string; reason: string; span: Offsets }) =>
    `the text becomes too large at {{${details.name}}}: ${details.reason}`,
  hint: () => "name only what is needed, such as {{context.plan.summary}}",
  about:
    "A text that is made from a template has at most 8,388,608 characters, its {{#each}} blocks print at most 100,000 parts in all, and a value in it has at most 500 levels.",
});

export const valueTooLarge = defineError("WORKFLOW_VALUE_TOO_LARGE", {
  message: (details: { name: string; sizeBytes: number; limitBytes: number; form?: "${{" }) =>
    `${variableText(details)} has ${details.sizeBytes} bytes, too many for a command line (at most ${details.limitBytes})`,
  hint: ({ form }) =>
    form === "${{"
      ? "let one setup command write it into a file, and the other read that"
      : "let the command read it from stdin: put the variable into the step's prompt",
  about:
    "A value that stands in a command becomes one argument or one environment variable; operating systems bound both.",
});

export const valueInCode = defineError("WORKFLOW_VALUE_IN_CODE", {
  message: (details: {
    name: string;
    place: "code" | "quotes" | "here-document";
    program?: string;
    form?: "${{";
  }) =>
    `${variableText(details)} stands ${PLACES[details.place](details.program)}, where its value could become a command`,
  hint: ({ place, program, ...variable }) => {
    const shown = variableText(variable);
    if (place === "here-document") return `pipe it: printf '%s\\n' ${shown} | …`;
    if (place === "quotes")
      return `let ${shown} be a word of its own, such as: printf '%s' ${shown}`;
    return SHELL_NAME.test(program ?? "")
      ? `hand it over: ${program} -c '… "$1" …' ${program} ${shown}`
      : "hand it over as an argument, on stdin, or in the environment, and let the code read it there";
  },
  about:
    "A value in a command arrives as one word, whatever it holds. Where another program reads its words as code (`sh -c`, `eval`, `ssh`, `python -c`, `awk`), within quotes of its own, or in a here-document, it would be read once more, and could run. So it would where it is piped into such a program, put into its code by a variable, or taken by bash for arithmetic or the name of a variable (`$(( ))`, `[[ -eq ]]`, `test -v`, `read`, `printf -v`). What scripts and programs do with a value that they were given is not seen. As an argument, on stdin or in the environment it stays a value.",
});

const SHELL_NAME = /^(?:ba|da|a|z|k|mk|c|tc|fi)?sh$/;
const PLACES = {
  code: (program: string | undefined) => `in code that ${program} reads`,
  quotes: () => "in quotes within quotes",
  "here-document": () => "in a here-document",
};

function variableText({ name, form }: { name: string; form?: "${{" }): string {
  return form === "${{" ? `\${{ ${name} }}` : `{{${name}}}`;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
