import { z } from "zod";
import type { TroupeError } from "../../foundation/errors.ts";
import { PARSE_ONCE } from "../../foundation/parse-once.ts";
import { present } from "../../foundation/present.ts";
import { readMarkdownHead } from "../agent-types/read-agent-type.ts";
import { schemaProblems } from "../schema/schema-problems.ts";
import { createLineMap } from "../source/line-map.ts";
import { toValue } from "../source/source-node.ts";
import type { ChatCommand } from "./chat-command.ts";
import { chatCommandInvalid } from "./errors.ts";

const texts = z.union([z.string(), z.array(z.string())]);
const members = {
  description: z.string().nullable().optional(),
  "argument-hint": texts.nullable().optional(),
  model: z.string().min(1).nullable().optional(),
  "allowed-tools": texts.nullable().optional(),
};
const head = z.object(members);

/** What bounds a command elsewhere: without it the turn could do more than its file says. */
const BOUNDS: ReadonlySet<string> = new Set([
  ...["allowedTools", "allowed_tools", "tools", "disallowed-tools", "disallowedTools"],
  ...["permissionMode", "permission-mode", "permissions", "sandbox", "agent", "context"],
]);
const RULE = /^[\w*-]+(?:\([^\n]+\))?$/;
/** As Claude Code has it: the output of a command that its program runs before it asks the model. */
const SHELL = /^[ \t]*!\S|!`/m;
const SHELL_HINT =
  "ask the agent to run it: then it is asked for, as everything is that agents run";

/** Reads the text of a command; `file` is how people know it. */
export function readChatCommand(
  text: string,
  { name, file }: Pick<ChatCommand, "name" | "file">,
): { readonly command: ChatCommand } | { readonly error: TroupeError } {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const { root, bodyStart, fault: syntax } = readMarkdownHead(source);
  const fail = (offset: number, problem: string, hint?: string) => {
    const { line, column } = createLineMap(source).positionAt(offset);
    const where = `${file}:${line}:${column}`;
    return { error: chatCommandInvalid({ where, problem, ...present({ hint }) }) };
  };
  const [invalid] = root === undefined ? [] : schemaProblems(head, root, "the head of the file");
  const fault = syntax ?? invalid;
  if (fault !== undefined) return fail(fault.range.start, fault.error.message, fault.error.hint);
  const bound = [...(root?.entries.values() ?? [])].find(({ key }) => BOUNDS.has(key));
  if (bound !== undefined)
    return fail(
      bound.keyRange.start,
      `${bound.key} is no key of commands: the agent could do more than it says`,
      "say it by allowed-tools, or remove it",
    );
  const body = source.slice(bodyStart);
  const shell = SHELL.exec(body);
  if (shell !== null)
    return fail(bodyStart + shell.index, "it has a command that would run by itself", SHELL_HINT);
  if (body.trim() === "") return fail(bodyStart, "it has nothing to say");
  const given = root === undefined ? {} : head.parse(toValue(root), PARSE_ONCE);
  const tools = toolsOf(given["allowed-tools"]);
  const wrong = tools?.find((rule) => !RULE.test(rule));
  if (wrong !== undefined) return fail(0, `allowed-tools names no tool by "${wrong}"`, RULES_HINT);
  const hint = given["argument-hint"];
  return {
    command: {
      ...{ name, file, body: body.trim(), tools },
      description: given.description ?? undefined,
      argumentHint: Array.isArray(hint) ? `[${hint.join("] [")}]` : (hint ?? undefined),
      model: given.model === "inherit" ? undefined : (given.model ?? undefined),
    },
  };
}

const RULES_HINT = "write names such as Read, or rules such as Bash(git diff *)";

/** One text with commas, or with blanks, is a list too; a comma inside of brackets separates nothing. */
function toolsOf(
  written: string | readonly string[] | null | undefined,
): readonly string[] | undefined {
  if (written === undefined || written === null) return undefined;
  const parts =
    typeof written === "string" ? (written.match(/(?:\([^)]*\)|[^,\s(])+/g) ?? []) : written;
  // What begins so, as Claude Code writes it.
  return parts.map((part) => part.trim().replace(/:\*\)$/, " *)"));
}
