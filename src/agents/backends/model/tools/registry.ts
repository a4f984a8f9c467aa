import { askUserQuestionTool } from "./ask-user-question.ts";
import { bashTool } from "./bash.ts";
import { editTool } from "./edit.ts";
import { enterPlanModeTool } from "./enter-plan-mode.ts";
import { exitPlanModeTool } from "./exit-plan-mode.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import type { ModelTool } from "./model-tool.ts";
import { multiEditTool } from "./multi-edit.ts";
import { readTool } from "./read.ts";
import { taskOutputTool } from "./task-output.ts";
import { taskStopTool } from "./task-stop.ts";
import { todoWriteTool } from "./todo-write.ts";
import { webFetchTool } from "./web-fetch.ts";
import { writeTool } from "./write.ts";

/** The tools of agents of backend `model`. A new one is a file and a line here. */
export const modelTools: readonly ModelTool[] = [
  readTool,
  writeTool,
  editTool,
  multiEditTool,
  lsTool,
  globTool,
  grepTool,
  bashTool,
  taskOutputTool,
  taskStopTool,
  todoWriteTool,
  askUserQuestionTool,
  enterPlanModeTool,
  exitPlanModeTool,
  webFetchTool,
];

/** Those that only agents have whose `tools` name them. */
export const offByDefault: ReadonlySet<string> = new Set([webFetchTool.name]);
