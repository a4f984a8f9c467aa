import type { Json } from "../../foundation/json.ts";
import { nearestName } from "../../foundation/near-names.ts";
import type { Invocation } from "../command/command.ts";
import { usageInvalid } from "../command/errors.ts";
import { toFlag } from "../command/option.ts";
import { readCount } from "../command/read-count.ts";
import { readStdin } from "../prepare/read-input.ts";

/** The options of `troupe context` that tools take. */
export interface CallOptions {
  readonly to?: readonly string[];
  readonly channel?: string;
  readonly interrupt?: boolean;
  readonly force?: boolean;
  readonly since?: string;
  readonly limit?: string;
  readonly unread?: boolean;
  readonly name?: string;
  readonly ifRevision?: string;
}

/** A tool and its input. */
export interface ToolCall {
  readonly tool: string;
  readonly input: { readonly [name: string]: Json };
}

interface Form {
  readonly tool: string;
  /** The field that the operand after the words is for. */
  readonly text?: string;
  readonly takes: readonly (keyof CallOptions)[];
}

/** What may be typed after `troupe context`. */
const FORMS: { readonly [words: string]: Form } = {
  send: { tool: "channel_send", text: "message", takes: ["to", "channel", "interrupt", "force"] },
  read: { tool: "channel_read", takes: ["since", "limit", "channel"] },
  peek: { tool: "channel_peek", takes: ["limit"] },
  mentions: { tool: "channel_mentions", takes: ["unread", "limit"] },
  "doc read": { tool: "document_read", takes: ["name"] },
  "doc write": { tool: "document_write", text: "content", takes: ["name", "ifRevision"] },
  "doc append": { tool: "document_append", text: "content", takes: ["name"] },
  "doc list": { tool: "document_list", takes: [] },
};

/** The fields of the tools that options stand for. */
const FIELDS: { readonly [Option in keyof CallOptions]-?: string } = {
  to: "to",
  channel: "channel",
  interrupt: "interrupt",
  force: "force",
  since: "since",
  limit: "limit",
  unread: "unread_only",
  name: "name",
  ifRevision: "if_revision",
};

/** What a command line asks for. Raises USAGE_INVALID, FILE_INPUT_TOO_LARGE, FILE_NOT_TEXT. */
export async function readCall(
  args: readonly string[],
  options: CallOptions,
  { io }: Pick<Invocation, "io">,
): Promise<ToolCall> {
  const { words, form, rest } = findForm(args);
  const [text, ...more] = rest;
  const unexpected = form.text === undefined ? text : more[0];
  if (unexpected !== undefined)
    throw usageInvalid({ problem: `${words} does not take "${unexpected}"` });
  const input: { [name: string]: Json } = {};
  if (form.text !== undefined) {
    if (text === undefined)
      throw usageInvalid({
        problem: `${words} needs a text`,
        hint: "write it after it, or - for standard input",
      });
    input[form.text] = text === "-" ? await readStdin(io) : text;
  }
  for (const [option, value] of Object.entries(options)) {
    if (value === false) continue;
    const name = form.takes.find((taken) => taken === option);
    if (name === undefined) throw foreignOption(option, words, form);
    input[FIELDS[name]] = toValue(name, value);
  }
  return { tool: form.tool, input };
}

function findForm(args: readonly string[]): {
  readonly words: string;
  readonly form: Form;
  readonly rest: readonly string[];
} {
  const count = args[0] === "doc" ? 2 : 1;
  const words = args.slice(0, count).join(" ");
  const form = Object.hasOwn(FORMS, words) ? FORMS[words] : undefined;
  if (form !== undefined) return { words, form, rest: args.slice(count) };
  const known = Object.keys(FORMS);
  const near = nearestName(words, known);
  throw usageInvalid({
    problem: `troupe context does not know "${words}"`,
    hint: near === undefined ? `it knows ${known.join(", ")}` : `did you mean "${near}"?`,
  });
}

function toValue(option: keyof CallOptions, value: Json): Json {
  if (option === "limit") return readCount(String(value), "--limit", 1);
  if (option === "ifRevision") return readCount(String(value), "--if-revision");
  return value;
}

function foreignOption(option: string, words: string, { takes }: Form): Error {
  const flags = takes.map(toFlag);
  return usageInvalid({
    problem: `${words} does not take ${toFlag(option)}`,
    hint: flags.length === 0 ? "it takes no options" : `it takes ${flags.join(", ")}`,
  });
}
