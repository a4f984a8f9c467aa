import { unknownVariable } from "../../programs/language/errors.ts";
import { STEP_PATHS } from "../../programs/language/pattern-names.ts";
import { scanPromptTemplate } from "../../programs/language/templates/parse-prompt.ts";
import { promptVariables } from "../../programs/language/templates/prompt-template.ts";
import { scanTemplate, templateVariables } from "../../programs/language/templates/template.ts";
import { agentTypeInvalid, agentTypeVariable } from "../agent-types/errors.ts";
import { placeInType } from "../agent-types/read-agent-type.ts";
import { checkEnvironment } from "../checks/check-environment.ts";
import { agentTexts, checkCommandValues, commandOf } from "../checks/check-variables.ts";
import { notUpstream } from "../checks/errors.ts";
import { type LocatedItem, type LocatedText, MAX_NEAR_NAMES, textAt } from "../checks/file-view.ts";
import { placeInText } from "../checks/place-in-text.ts";
import { entryOf } from "../source/source-node.ts";
import { rangeOf, type StepAgents } from "./check-step-agents.ts";
import { rootsOf } from "./check-step-texts.ts";
import { stepLabel } from "./step-view.ts";
import type { StepsCheck } from "./steps-check.ts";

/** Checks the texts of agents, which see what is there before any step, and the name of the channel. */
export function checkAgentTexts(check: StepsCheck, declared: readonly LocatedItem[]): void {
  const { root, all } = check.view;
  const initial = entryOf(root, "initial_context")?.node;
  const keys = initial?.kind === "map" ? [...initial.entries.keys()] : [];
  const known = ["input", ...keys.map((key) => `context.${key}`)].slice(0, MAX_NEAR_NAMES);
  const steps = new Set(all.map(({ id }) => id));
  const problemOf = (name: string, [first, second = ""]: readonly string[]) => {
    if (first === "input" || (first === "context" && keys.includes(second))) return undefined;
    const isOfStep = first === "context" || first === "steps";
    if (!isOfStep || !steps.has(second)) return unknownVariable({ name, known });
    const problem = "but an agent is set up before any step is done";
    const hint = "use it in the prompt of a step";
    return notUpstream({ variable: `{{${name}}}`, step: second, problem, hint });
  };
  checkEnvironment(
    check,
    root,
    [...declared, ...all].map(({ node }) => node),
  );
  for (const agent of declared) {
    for (const text of agentTexts(agent)) checkText(check, text, problemOf);
    checkCommandValues(check, commandOf(agent));
  }
  const channel = textAt(entryOf(root, "options")?.node, "channel");
  checkText(check, channel, (name) =>
    name === "id" ? undefined : unknownVariable({ name, known: ["id"] }),
  );
}

/** Checks the prompts of agent types for each step that uses them; problems are shown where the step names the agent. */
export function checkTypePrompts(check: StepsCheck, { types, uses }: StepAgents): void {
  const { report } = check;
  const prompts = new Map(
    [...types].map(([name, type]) => [name, { type, template: scanPromptTemplate(type.prompt) }]),
  );
  for (const use of uses) {
    const prompt = prompts.get(use.agent);
    if (prompt === undefined) continue;
    const { type, template } = prompt;
    const placeOf = (start: number) => placeInType(type, type.promptStart + start);
    for (const { error, span } of template.faults) {
      const { message: problem, hint } = error;
      const details = { where: placeOf(span.start), problem };
      report(agentTypeInvalid(hint === undefined ? details : { ...details, hint }), rangeOf(use));
    }
    const roots = rootsOf(use.step);
    const known = check.view.all.flatMap(({ id }) => id ?? []).slice(0, MAX_NEAR_NAMES);
    for (const { name, segments, span } of promptVariables(template)) {
      const [root = "", , ...members] = segments;
      const isOfStep = root === "steps" && STEP_PATHS.includes(members.join("."));
      if (roots.includes(root) || isOfStep) continue;
      const where = placeOf(span.start);
      const step = stepLabel(use.step);
      report(agentTypeVariable({ where, name, step, known }), rangeOf(use));
    }
  }
}

function checkText(
  { text: source, report }: StepsCheck,
  text: LocatedText | undefined,
  problemOf: (
    name: string,
    segments: readonly string[],
  ) => Parameters<StepsCheck["report"]>[0] | undefined,
): void {
  if (text === undefined) return;
  const template = scanTemplate(text.text);
  for (const { error, span } of template.faults) report(error, placeInText(text, span, source));
  for (const { name, segments, span } of templateVariables(template)) {
    const error = problemOf(name, segments);
    if (error !== undefined) report(error, placeInText(text, span, source));
  }
}
