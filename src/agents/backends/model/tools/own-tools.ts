import type { OwnTool, OwnToolUse } from "../../../../contracts/own-model.ts";
import { toJson } from "../../../../foundation/json.ts";
import { ToolFailure } from "../files/tool-failure.ts";
import { defineModelTool, type ModelTool } from "./model-tool.ts";

const NAME = /^[\w-]{1,64}$/;

/** Whose tools they are. */
export type ToolOwner = Pick<OwnToolUse, "run" | "agent">;

/** The tools of one's own as the loop uses them. */
export function toModelTools(tools: readonly OwnTool[], owner: ToolOwner): readonly ModelTool[] {
  return tools.map((tool) => toModelTool(tool, owner));
}

/** What is wrong with tools of one's own; undefined when nothing is. `taken`: names that others have. */
export function ownToolProblem(
  tools: readonly OwnTool[],
  taken: readonly string[],
): string | undefined {
  const names = new Set(taken);
  for (const { name } of tools) {
    if (!NAME.test(name))
      return `its tool "${name}" has a name that is none: letters, digits, _ and -, at most 64`;
    if (names.has(name)) return `its tool "${name}" has a name that another one has`;
    names.add(name);
  }
  return undefined;
}

function toModelTool(tool: OwnTool, { run, agent }: ToolOwner): ModelTool {
  const { name, description, input, isReadOnly = false, isFree = isReadOnly } = tool;
  return defineModelTool({
    ...{ name, description, input, hasEffect: !isReadOnly },
    ...(isFree ? { isFree } : {}),
    prepare: async (given, { session }) => ({
      asks: toJson(given, `the input of ${name}`),
      run: async ({ signal, key }) => {
        const { cwd } = session;
        try {
          const result = await tool.run(given, { signal, run, agent, cwd, key });
          return typeof result === "string" ? result : JSON.stringify(toJson(result, name));
        } catch (error) {
          signal.throwIfAborted();
          // What its author throws is for the model, whatever it is.
          throw new ToolFailure(error instanceof Error ? error.message : String(error));
        }
      },
    }),
  });
}
