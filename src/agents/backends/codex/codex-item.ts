import { z } from "zod";
import type { TurnUpdate } from "../../../contracts/backend.ts";
import { type Json, storableJson } from "../../../foundation/json.ts";
import { scriptOf } from "./shell-script.ts";

/** Name of the server that has Troupe's own tools. */
export const TROUPE_SERVER = "troupe";

const changeSchema = z.object({
  path: z.string(),
  kind: z.object({
    type: z.enum(["add", "update", "delete"]).catch("update"),
    move_path: z.string().nullish(),
  }),
});

const commandSchema = z.object({
  type: z.literal("commandExecution"),
  id: z.string(),
  command: z.string(),
  status: z.string(),
  aggregatedOutput: z.string().nullish(),
  exitCode: z.number().nullish(),
});
const filesSchema = z.object({
  type: z.literal("fileChange"),
  id: z.string(),
  changes: z.array(changeSchema),
  status: z.string(),
});
const toolSchema = z.object({
  type: z.literal("mcpToolCall"),
  id: z.string(),
  server: z.string(),
  tool: z.string(),
  status: z.string(),
  arguments: z.unknown().optional(),
  result: z.object({ content: z.array(z.unknown()) }).nullish(),
  error: z.object({ message: z.string() }).nullish(),
});
const subagentSchema = z.object({
  type: z.literal("collabAgentToolCall"),
  id: z.string(),
  tool: z.string(),
  status: z.string(),
  prompt: z.string().nullish(),
});
const searchSchema = z.object({
  type: z.literal("webSearch"),
  id: z.string(),
  query: z.string().catch(""),
});
const imageSchema = z.object({ type: z.literal("imageView"), id: z.string(), path: z.string() });

/** The items of a turn that are uses of tools. */
export const toolItemSchema = z.discriminatedUnion("type", [
  commandSchema,
  filesSchema,
  toolSchema,
  subagentSchema,
  searchSchema,
  imageSchema,
]);

export type ToolItem = z.infer<typeof toolItemSchema>;
export type FileChange = z.infer<typeof changeSchema>;

const textPartSchema = z.object({ type: z.literal("text"), text: z.string() });

/** A tool's use as it begins. */
export function startedUpdates(item: ToolItem): readonly TurnUpdate[] {
  const { tool, input } = callOf(item);
  return [{ type: "tool-call", call: item.id, tool, input }];
}

/** A tool's use when it is over, with the files that it changed. */
export function completedUpdates(item: ToolItem): readonly TurnUpdate[] {
  const { tool } = callOf(item);
  const result: TurnUpdate = { type: "tool-result", call: item.id, tool, ...resultOf(item) };
  if (item.type !== "fileChange" || item.status !== "completed") return [result];
  return [result, ...item.changes.flatMap(toFileChanges)];
}

/** The tool for a change of a file: by name `Write` for new ones, else `Edit`. */
export function editingTool({ kind }: FileChange): "Write" | "Edit" {
  return kind.type === "add" ? "Write" : "Edit";
}

function callOf(item: ToolItem): { readonly tool: string; readonly input: Json } {
  switch (item.type) {
    case "commandExecution":
      return { tool: "Bash", input: { command: scriptOf(item.command) } };
    case "fileChange":
      return editingCall(item.changes);
    case "mcpToolCall":
      return { tool: toolName(item), input: storableJson(item.arguments) };
    case "collabAgentToolCall":
      return { tool: "Task", input: { action: item.tool, prompt: item.prompt ?? "" } };
    case "webSearch":
      return { tool: "WebSearch", input: { query: item.query } };
    case "imageView":
      return { tool: "Read", input: { file_path: item.path } };
  }
}

function editingCall(changes: readonly FileChange[]): { tool: string; input: Json } {
  const tool = changes.every((change) => editingTool(change) === "Write") ? "Write" : "Edit";
  const [first, ...others] = changes.map(({ path }) => path);
  const further = others.length === 0 ? {} : { further_paths: others };
  return { tool, input: { file_path: first ?? "", ...further } };
}

function toolName({ server, tool }: z.infer<typeof toolSchema>): string {
  return server === TROUPE_SERVER ? tool : `mcp__${server}__${tool}`;
}

function resultOf(item: ToolItem): { readonly isError: boolean; readonly result: string } {
  switch (item.type) {
    case "commandExecution": {
      const isError = item.status !== "completed" || item.exitCode !== 0;
      return { isError, result: item.aggregatedOutput ?? statusText(item.status) };
    }
    case "mcpToolCall": {
      const texts = (item.result?.content ?? []).flatMap(
        (part) => textPartSchema.safeParse(part).data?.text ?? [],
      );
      const result = item.error?.message ?? texts.join("\n");
      return { isError: item.status !== "completed", result };
    }
    case "fileChange":
    case "collabAgentToolCall":
      return { isError: item.status !== "completed", result: statusText(item.status) };
    case "webSearch":
    case "imageView":
      return { isError: false, result: "" };
  }
}

function statusText(status: string): string {
  return status === "completed" ? "" : status;
}

function toFileChanges({ path, kind }: FileChange): readonly TurnUpdate[] {
  if (kind.type === "add") return [{ type: "file-change", path, kind: "create" }];
  if (kind.type === "delete") return [{ type: "file-change", path, kind: "delete" }];
  const { move_path: moved } = kind;
  if (typeof moved !== "string") return [{ type: "file-change", path, kind: "edit" }];
  return [
    { type: "file-change", path, kind: "delete" },
    { type: "file-change", path: moved, kind: "create" },
  ];
}
