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

/** How a file is read that was written for another tool and does not show it. */
export const fromOption = {
  flags: "--from <tool>",
  about: "the tool that it was written for; else its keys say it",
  choices: ["agent-worker", "openagents", "relay"],
} as const satisfies OptionSpec;

const instanceOption = {
  flags: "--instance <name>",
  about: "name of this instance, default if not given",
} as const satisfies OptionSpec;
const agentOptions = [
  {
    flags: "--backend <name>",
    about: "stands in for all agents that name none, a model or a CLI",
  },
  {
    flags: "--cassette <path>",
    about: "turns for scripted agents; alone it means --backend script",
  },
] as const satisfies readonly OptionSpec[];

/** What every start of a workflow takes. */
export const workflowOptions = [
  {
    flags: "-i <key=value>",
    about: "one param of the workflow, or one key of its input; repeatable",
    isRepeatable: true,
  },
  { flags: "--input <path>", about: "JSON object with params, or any JSON input; -i wins over it" },
  instanceOption,
  ...agentOptions,
] as const satisfies readonly OptionSpec[];

const taskFileOption = {
  flags: "--task-file <path>",
  about: "read the task from a file, or - for standard input",
} as const satisfies OptionSpec;
const boundOptions = [
  { flags: "--timeout <duration>", about: "longest running time, such as 30m", isPersonal: true },
  ...limitOptions,
] as const satisfies readonly OptionSpec[];

/** What it is started with: options that a run and its plan share. */
export const runInputOptions = [
  {
    flags: "--agent <backend>",
    about: "run one agent of this backend, or provider/model, instead of a file",
  },
  taskFileOption,
  ...workflowOptions,
  ...boundOptions,
  { flags: "--max-concurrency <number>", about: "most steps at the same time" },
  { flags: "--iter <condition>", about: "repeat the file as child runs: 5 times, or for 2h" },
  fromOption,
  trustOption,
] as const satisfies readonly OptionSpec[];

/** What every run of a schedule is started with. */
export const scheduleInputOptions = [
  taskFileOption,
  ...workflowOptions,
  ...boundOptions,
  fromOption,
] as const satisfies readonly OptionSpec[];

const seriesOptions = [
  { flags: "--until <command>", about: "a shell command; it is over once that exits with 0" },
  { flags: "--max-iterations <number>", about: "iterations at most, 100 without a count" },
  {
    flags: "--verify <command>",
    about: "must exit with 0 for an iteration to have succeeded; repeatable",
    isRepeatable: true,
  },
  { flags: "--commit", about: "commit what each iteration changed, if it succeeded" },
  { flags: "--allow-dirty", about: "commit also where there are changes of yours; they stay" },
  { flags: "--commit-failed", about: "commit iterations that failed, too" },
  { flags: "--no-context", about: "tell no iteration what those before it did" },
  { flags: "--continuation <text>", about: "what iterations after the first are asked for" },
  {
    flags: "--summarizer <kind>",
    about: "what sums an iteration up: its own words, its files, another turn",
    choices: ["done", "files", "model"],
  },
  { flags: "--summary-model <model>", about: "who takes that turn, such as anthropic/NAME" },
  { flags: "--worktree", about: "work in a git worktree, on a branch of the run's own" },
  { flags: "--plan <path>", about: "a file with a plan that every iteration is told" },
  { flags: "--max-retries <number>", about: "attempts of an iteration after its first" },
  { flags: "--turn-timeout <duration>", about: "how long a turn of an iteration may take" },
] as const satisfies readonly OptionSpec[];

/** What every mode is started with that has no file. */
const modeOptions = [
  taskFileOption,
  instanceOption,
  ...agentOptions,
  ...boundOptions,
] as const satisfies readonly OptionSpec[];

/** What agents that spawn others are started with. */
export const collabInputOptions = [
  { flags: "--agent <name>", about: "who leads: a role of the configuration, or a backend" },
  { flags: "--agents <roles>", about: "roles that it is told of, as a,b" },
  { flags: "--model <name>", about: "the model of who leads" },
  { flags: "--turn-timeout <duration>", about: "how long a turn of who leads may take" },
  ...modeOptions,
  trustOption,
] as const satisfies readonly OptionSpec[];

/** What a series of iterations is started with. */
export const seriesInputOptions = [
  { flags: "--agent <backend>", about: "who does it, a backend such as claude or command" },
  { flags: "--model <name>", about: "the model of the agent" },
  ...seriesOptions,
  ...modeOptions,
  trustOption,
] as const satisfies readonly OptionSpec[];

/** What a team is started with. */
export const teamInputOptions = [
  { flags: "--agent <backend>", about: "who leads, a backend such as claude" },
  { flags: "--model <name>", about: "the model of the leader, and of workers on its backend" },
  {
    flags: "--agents <backends>",
    about: "who works, with commas between; else the backend of the leader",
  },
  { flags: "--workers <number>", about: "workers at the same time, 5 if absent" },
  { flags: "--name <name>", about: "names the team and the directory of its list" },
  { flags: "--tasks <format>", about: "how the list is written", choices: ["md", "json"] },
  { flags: "--no-notifications", about: "tell nobody how many messages wait" },
  { flags: "--max-retries <number>", about: "attempts of a turn after its first" },
  { flags: "--turn-timeout <duration>", about: "how long a turn may take" },
  ...modeOptions,
  { flags: "--max-concurrency <number>", about: "most turns at the same time" },
  trustOption,
] as const satisfies readonly OptionSpec[];
