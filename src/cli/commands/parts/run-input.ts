import type { ArgumentSpec } from "../../command/command.ts";
import type { OptionSpec } from "../../command/option.ts";
import { limitOptions } from "./limit-options.ts";
import { trustOption } from "./trust-option.ts";

/** What is run: the operands of a run and of its plan. */
export const runOperands: readonly ArgumentSpec[] = [
  { name: "[file]", about: "workflow file, name of a template, or - for standard input" },
  { name: "[task]", about: "what the agents are to do; the input of a step workflow" },
  { name: "[argv...]", about: "after --: the program of --agent command" },
];

/** What every start of a workflow takes. */
export const workflowOptions = [
  {
    flags: "-i <key=value>",
    about: "one param of the workflow, or one key of its input; repeatable",
    isRepeatable: true,
  },
  { flags: "--input <path>", about: "JSON object with params, or any JSON input; -i wins over it" },
  { flags: "--instance <name>", about: "name of this instance, default if not given" },
  {
    flags: "--backend <name>",
    about: "stands in for all agents that name none, a model or a CLI",
  },
  {
    flags: "--cassette <path>",
    about: "turns for scripted agents; alone it means --backend script",
  },
] as const satisfies readonly OptionSpec[];

/** What it is started with: options that a run and its plan share. */
export const runInputOptions = [
  { flags: "--agent <backend>", about: "run one agent of this backend instead of a file" },
  { flags: "--task-file <path>", about: "read the task from a file, or - for standard input" },
  ...workflowOptions,
  { flags: "--timeout <duration>", about: "longest running time, such as 30m", isPersonal: true },
  ...limitOptions,
  { flags: "--max-concurrency <number>", about: "most steps at the same time" },
  trustOption,
] as const satisfies readonly OptionSpec[];
