import { isRecord, type Json, storableJson } from "../../../../foundation/json.ts";
import type { AcpDialect } from "./acp-launch.ts";
import type { AcpToolCall } from "./tool-call.ts";

/** A tool and what it is asked to do, in the words that all backends share. */
export interface ToolUse {
  readonly tool: string;
  readonly input: Json;
  /** It is one of Troupe's own tools. */
  readonly isOwn: boolean;
}

type Input = { readonly [name: string]: unknown };

// As the programs call them, in lower case.
const SHARED_NAMES: ReadonlyMap<string, string> = new Map([
  ...["bash", "shell", "run_shell_command"].map((name) => [name, "Bash"] as const),
  ...["read", "read_file", "read_many_files"].map((name) => [name, "Read"] as const),
  ...["write", "write_file"].map((name) => [name, "Write"] as const),
  ...["edit", "replace", "patch", "apply_patch", "multiedit"].map(
    (name) => [name, "Edit"] as const,
  ),
  ...["glob", "list", "list_directory"].map((name) => [name, "Glob"] as const),
  ...["grep", "grep_search", "search_file_content"].map((name) => [name, "Grep"] as const),
  ...["webfetch", "web_fetch"].map((name) => [name, "WebFetch"] as const),
  ...["websearch", "web_search", "google_web_search"].map((name) => [name, "WebSearch"] as const),
  ...["task", "invoke_agent"].map((name) => [name, "Task"] as const),
  ...["todowrite", "write_todos"].map((name) => [name, "TodoWrite"] as const),
  ["todoread", "TodoRead"],
]);

// What a tool can do is what counts where permission is asked: a name must not make it look harmless.
const NAMES_OF_KIND: { readonly [kind: string]: readonly [string, ...string[]] } = {
  execute: ["Bash"],
  edit: ["Edit", "Write"],
  delete: ["Edit"],
  move: ["Edit"],
  fetch: ["WebFetch", "WebSearch"],
  read: ["Read", "Glob", "Grep"],
  search: ["Grep", "Glob", "WebSearch", "Read"],
};

const OWN_TOOL = /^(?:mcp__troupe__|mcp_troupe_|troupe_|troupe\.)(\w+)$/;
const WORD = /^[A-Za-z][\w.:-]*$/;
const PATH_NAMES = ["file_path", "filePath", "filepath", "path", "absolute_path", "abs_path"];

/** The tool of a call. */
export function toToolUse(call: AcpToolCall, dialect: AcpDialect): ToolUse {
  const name = nameOf(call, dialect);
  const allowedNames = NAMES_OF_KIND[call.kind ?? ""];
  const own = OWN_TOOL.exec(name)?.[1];
  if (own !== undefined && allowedNames === undefined)
    return { tool: own, input: plainInput(call), isOwn: true };
  const shared = SHARED_NAMES.get(name.toLowerCase()) ?? name;
  const tool =
    allowedNames === undefined || allowedNames.includes(shared) ? shared : allowedNames[0];
  return { tool, input: storableJson(inputOf(tool, call)), isOwn: false };
}

function nameOf(call: AcpToolCall, { toolName }: AcpDialect): string {
  const { name, firstTitle = "", kind = "tool" } = call;
  return toolName?.(call) ?? name ?? (WORD.test(firstTitle) ? firstTitle : kind);
}

function inputOf(tool: string, call: AcpToolCall): Input {
  const { input = {}, title = "" } = call;
  switch (tool) {
    case "Bash":
      return { ...input, command: commandOf(input["command"]) ?? title };
    case "Read":
    case "Edit":
    case "Write":
      return pathInput(call);
    case "WebFetch":
      return { ...input, url: input["url"] ?? /https?:\/\/\S+/.exec(title)?.[0] ?? title };
    default:
      return plainInputOf(call);
  }
}

/** Every path that the call names: what is asked for must not hide behind the first one. */
function pathInput(call: AcpToolCall): Input {
  const { input = {}, title = "", diffs } = call;
  const rest = Object.entries(input).filter(([name]) => !PATH_NAMES.includes(name));
  const named = PATH_NAMES.map((name) => input[name]).filter((path) => typeof path === "string");
  const paths = [...new Set([...named, ...diffs.map(({ path }) => path), ...call.paths])];
  const [first = title] = paths;
  const [diff] = diffs;
  const change = diff === undefined ? {} : { old_string: diff.before, new_string: diff.after };
  return {
    ...(diffs.length === 1 && rest.length === 0 ? change : Object.fromEntries(rest)),
    file_path: first,
    ...(paths.length > 1 ? { file_paths: paths } : {}),
  };
}

function plainInput(call: AcpToolCall): Json {
  return storableJson(plainInputOf(call));
}

/** The input as told; programs that tell none often show it as text. */
function plainInputOf({ input, texts, title }: AcpToolCall): Input {
  if (input !== undefined) return input;
  for (const text of texts) {
    const shown = parseRecord(text);
    if (shown !== undefined) return shown;
  }
  return title === undefined ? {} : { description: title };
}

function parseRecord(text: string): Input | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function commandOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return undefined;
  const words: readonly unknown[] = value;
  return words.map((word) => (typeof word === "string" ? word : JSON.stringify(word))).join(" ");
}
