import { relative } from "node:path";
import type { PlannedAgent, RunPlan } from "../../app/plan/run-plan.ts";
import { toPrintable, toPrintableLines } from "../../foundation/printable.ts";
import { asCalled } from "../command/suggested-commands.ts";
import type { Settings } from "../terminal/settings.ts";
import { alignColumns } from "../terminal/table.ts";
import { budgetText, limitText, shownCommand } from "./plan-words.ts";

const HEADER = [
  "ID",
  "BACKEND",
  "MODEL",
  "ROLE",
  "PERMISSIONS",
  "ISOLATION",
  "SESSION",
  "DIRECTORY",
];

const ORIGINS = {
  option: "by --backend",
  agent: "its own",
  model: "by its model",
  workflow: "of the workflow",
  default: "by default",
} as const satisfies { readonly [from in NonNullable<PlannedAgent["backendFrom"]>]: string };

/** A table of the agents; below each row what else there is to say of it. */
export function plannedAgentLines({ agents, cwd }: RunPlan, settings: Settings): readonly string[] {
  const [header = "", ...rows] = alignColumns([
    HEADER,
    ...agents.map((agent) => [
      agent.id,
      backendText(agent),
      agent.model ?? "-",
      agent.role ?? "-",
      agent.permissionMode,
      agent.isolation,
      agent.session,
      relative(cwd, agent.cwd) || ".",
    ]),
  ]);
  const lines = agents.flatMap((agent, index) => [
    rows[index] ?? "",
    ...noteLines(agent, settings).map((line) => `  ${line}`),
  ]);
  return [header, ...lines].map((line) => `  ${line}`.trimEnd());
}

function backendText({ backend, backendFrom }: PlannedAgent): string {
  return backendFrom === null ? backend : `${backend} (${ORIGINS[backendFrom]})`;
}

function noteLines(agent: PlannedAgent, { glyphs, paint }: Settings): readonly string[] {
  const { id, name, command, systemPrompt, shadow, budget, limits, problems } = agent;
  return [
    ...(name === null || name === id ? [] : [`name: ${toPrintable(name)}`]),
    ...(shadow === null ? [] : [`watches ${shadow.of}, may speak on ${shadow.speakOn.join(", ")}`]),
    ...(command === null ? [] : [`runs: ${toPrintable(shownCommand(command))}`]),
    ...(systemPrompt === null
      ? []
      : ["is told first", ...toPrintableLines(systemPrompt).map((line) => `  ${line}`.trimEnd())]),
    ...(budget === null ? [] : [`budget: ${budgetText(budget)}`]),
    ...(limits.length === 0 ? [] : [`limits: ${limits.map(limitText).join(", ")}`]),
    ...problems.flatMap(({ message, hint }) => [
      paint(`${glyphs.failed} not ready: ${toPrintable(message)}`, "failed"),
      ...(hint === undefined ? [] : [`  ${toPrintable(asCalled(hint))}`]),
    ]),
  ];
}
