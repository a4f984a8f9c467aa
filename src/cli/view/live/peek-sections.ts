import { shownMessage } from "../../../fold/failed-output.ts";
import type { InboxItem } from "../../../fold/state/inbox-state.ts";
import type { StepState } from "../../../fold/state/step-state.ts";
import { formatDuration } from "../../../foundation/duration.ts";
import { namedFiles } from "../../../foundation/named-files.ts";
import { toVisibleText } from "../../../foundation/printable.ts";
import { readableJson } from "../../../foundation/readable-json.ts";
import { answerCommands } from "../parts/answer-commands.ts";
import { callLinesOf, textOfItem } from "../parts/inbox-text.ts";
import { tellCost, tellTokens } from "./amounts.ts";
import type { LiveModel } from "./live-model.ts";
import type { LiveRow } from "./live-row.ts";
import type { PaneSection } from "./pane.ts";
import { type RunningTurn, runningTurns } from "./running-turns.ts";
import { unmetDependencies } from "./step-rows.ts";

/** All that is worth knowing about a row, the most important first, what is said last. */
export function peekSections(row: LiveRow, model: LiveModel): readonly PaneSection[] {
  const step = row.path === undefined ? undefined : model.state.steps.byPath.get(row.path);
  const turn = turnOf(row, model);
  return [
    ...(row.item === undefined ? waitSections(row, step, model) : askedSections(row.item)),
    ...(row.item === undefined ? [] : [elsewhere(row.item, model)]),
    ...whoSection(row, step, model),
    ...(step === undefined ? [] : troubleSections(step, model)),
    ...(turn === undefined ? [] : turnSections(turn)),
    ...(step?.status === "completed" ? [section("output", step.output, "start")] : []),
  ];
}

function section(label: string, text: string, keeps: PaneSection["keeps"] = "start"): PaneSection {
  return { label, text, keeps };
}

/** What a person decides on, all of it. */
export function askedSections(item: InboxItem): readonly PaneSection[] {
  const call = callLinesOf(item);
  const shown = item.kind === "approval" && item.show !== undefined ? [item.show] : [];
  return [
    section("asked", textOfItem(item)),
    ...(call.length === 0 ? [] : [section("with", call.join("\n"))]),
    ...shown.map((show) => section("to be approved", toVisibleText(readableJson(show)))),
  ];
}

function elsewhere(item: InboxItem, { state }: LiveModel): PaneSection {
  return section("elsewhere", answerCommands(item, state.run.id).join("  or  "));
}

function whoSection(
  { agent }: LiveRow,
  step: StepState | undefined,
  { state }: LiveModel,
): readonly PaneSection[] {
  const facts = state.agents.get(agent ?? "");
  const parts = [
    ...(agent === undefined ? [] : [`@${agent}`]),
    ...(facts === undefined ? [] : [facts.backend, facts.spec.model ?? ""]),
    ...(step === undefined || step.attempt === 0 ? [] : [`attempt ${step.attempt}`]),
    ...(facts === undefined ? [] : [tellTokens(facts.usage), tellCost(facts.usage)]),
  ].filter((part) => part !== "");
  return parts.length === 0 ? [] : [section("agent", parts.join(", "))];
}

function waitSections(
  row: LiveRow,
  step: StepState | undefined,
  model: LiveModel,
): readonly PaneSection[] {
  if (step?.status === "blocked") return [section("blocked by", step.by.join(", "))];
  const planned = model.plan.find((each) => each.id === row.path);
  if (step !== undefined || planned === undefined) return askSections(row, model);
  const unmet = unmetDependencies(planned, model).map((dependency) => {
    const status = model.state.steps.byPath.get(dependency)?.status ?? "not started";
    return `${dependency} (${status})`;
  });
  return [section("waits for", unmet.length === 0 ? "its turn" : unmet.join(", "))];
}

/** What a person is asked for before this step, or this agent without a step, goes on. */
function askSections({ agent, path }: LiveRow, { state }: LiveModel): readonly PaneSection[] {
  const asks = [...state.inbox.values()].filter((item) =>
    path === undefined ? agent !== undefined && item.agent === agent : item.step === path,
  );
  return asks.map((item) => section(`waits for you, ${item.kind} ${item.id}`, textOfItem(item)));
}

function troubleSections(step: StepState, { state }: LiveModel): readonly PaneSection[] {
  const verification = state.steps.verifications.get(step.step);
  const tests = state.steps.changedTests.get(step.step);
  const hasFailed = step.status === "failed" || step.status === "retrying";
  return [
    ...(hasFailed ? [section("error", `${shownMessage(step.error)} [${step.error.code}]`)] : []),
    ...(step.status === "retrying" && step.delayMs > 0
      ? [section("next attempt after", formatDuration(step.delayMs))]
      : []),
    ...(tests === undefined ? [] : [section("changed tests", namedFiles(tests))]),
    ...(verification === undefined || verification.hasPassed
      ? []
      : [section(`check failed: ${verification.check}`, verification.output.trimEnd(), "end")]),
  ];
}

function turnSections({ turn, activity }: RunningTurn): readonly PaneSection[] {
  if (activity === undefined) return [section("turn", `${turn.turn}, nothing said yet`)];
  const { lastTool, usage, text } = activity;
  const used = [tellTokens(usage), tellCost(usage)].filter((part) => part !== "").join(", ");
  return [
    section("turn", [String(turn.turn), ...(used === "" ? [] : [used])].join(", ")),
    ...(lastTool === undefined
      ? []
      : [section("last tool", `${lastTool.tool} ${lastTool.input} (${lastTool.status})`)]),
    ...(text.trim() === "" ? [] : [section("says", text.trimEnd(), "end")]),
  ];
}

function turnOf(row: LiveRow, model: LiveModel): RunningTurn | undefined {
  return runningTurns(model).find(({ agent, turn }) =>
    row.path === undefined ? agent.id === row.agent : turn.step?.path === row.path,
  );
}
