import type { PatternDefinition } from "../../contracts/definition.ts";
import type { StepCompleted } from "../../contracts/events/note-events.ts";
import type { ReusableStep } from "../../contracts/events/reuse.ts";
import { failureOf } from "../../contracts/failure.ts";
import type { StepSpec } from "../../contracts/step.ts";
import { sha256 } from "../../foundation/hash.ts";
import { canonicalJson, toJson } from "../../foundation/json.ts";
import { present } from "../../foundation/present.ts";
import type { ConventionFacts } from "../patterns/conventions/convention-facts.ts";
import { markedText } from "../patterns/conventions/marked-text.ts";
import {
  type Attempted,
  type ExecutionPlace,
  executeStep,
  type FailedTry,
  type StepCase,
  type StepEnd,
} from "../step/execute-step.ts";
import { beginChecks, type StepChecks } from "../step/step-checks.ts";
import { executeCommandStep, isCommandStep } from "./execute-command-step.ts";
import { attemptStep, markerOf, type StepByAgent } from "./step-attempt.ts";
import type { StepResult } from "./step-results.ts";
import {
  checkScope,
  evaluateWhen,
  fillTask,
  type Task,
  usesGit,
  type VariableSources,
} from "./step-variables.ts";
import type { Team } from "./team.ts";

/** One step of a pattern, ready to be carried out. */
export interface PatternStepUnit {
  readonly step: StepSpec;
  /** From 1; a step that a person sends round again is executed once more. */
  readonly execution: number;
  /** Agents whose work the step goes on from. */
  readonly builtOn: readonly string[];
  /** The convention block of the step's agent, by pattern and place. */
  readonly convention: (facts: ConventionFacts) => string;
}

/** The place of a pattern's step in the run: below the step that carries out the pattern, where there is one. */
export function placeOf(
  { within }: Pick<PatternDefinition, "within">,
  step: string,
  execution: number,
): ExecutionPlace {
  if (within === undefined) return { step, path: step, execution };
  return { step, path: `${within.path}/${step}`, execution: within.execution - 1 + execution };
}

/** A step that is under way. */
interface Execution extends PatternStepUnit {
  readonly step: StepByAgent;
  readonly sources: VariableSources;
  readonly team: Team;
  readonly place: ExecutionPlace;
  /** From the moment the step has been prepared. */
  given: Task;
  checks: StepChecks | undefined;
}

/** Carries a step of a pattern out: its own agent, then the fallbacks, then the escalation. Rejects only on cancellation. */
export async function executePatternStep(
  sources: VariableSources,
  team: Team,
  asked: PatternStepUnit,
): Promise<StepResult> {
  const { step } = asked;
  const place = placeOf(sources.definition, step.id, asked.execution);
  if (isCommandStep(step))
    return toResult(undefined, await executeCommandStep(sources, { ...asked, step, place }));
  const { agent } = step;
  if (agent === undefined) throw new Error(`step "${step.id}" has neither an agent nor a command`);
  const given = { task: "", told: [] };
  const execution: Execution = {
    ...asked,
    step: { ...step, agent },
    ...{ sources, team, place, given, checks: undefined },
  };
  return toResult(agent, await executeStep(caseOf(execution)));
}

function caseOf(execution: Execution): StepCase<undefined> {
  const { sources, place, step } = execution;
  const { agent, maxAttempts, retryDelayMs, fallback, escalateTo } = step;
  const others = [...fallback, ...(escalateTo === undefined ? [] : [escalateTo])];
  return {
    door: sources.context,
    place,
    when: step.when,
    tries: { agent, maxAttempts, retryDelayMs, others },
    holds: (condition) => evaluateWhen(sourcesFor(execution, agent), condition),
    prepare: async () => {
      execution.given = await fillTask(sourcesFor(execution, agent), step.prompt);
      return hashOfInput(execution);
    },
    reusable: (inputHash) => findReusable(execution, inputHash),
    begin: async () => {
      await checksFor(execution, agent);
    },
    attempt: ({ agent: trying = agent, attempt }, before) =>
      attemptWith(execution, { agent: trying, attempt, before }),
  };
}

/** The hash of all that a step is given: its task, what it is told of others, its agent and its checks. */
function hashOfInput({ sources, team, step, given, convention }: Execution): string {
  const { context } = sources;
  const { agent, expects, verify, fallback, escalateTo } = step;
  const spec = team.spec(agent);
  const { task: runTask, params } = context.run;
  // Checks are templates of their own.
  const { matrix } = sources;
  const seenByChecks =
    verify.length === 0 ? undefined : { runTask, params, ...present({ matrix }) };
  const { task } = given;
  const told = convention(factsOf(team, step));
  const asked = { task, told, spec, expects, fallback, escalateTo };
  return sha256(canonicalJson(toJson({ ...asked, verify, seenByChecks }, "the input of a step")));
}

/** What is told of the run, whichever run it is: the channel may be named after it. */
function factsOf(team: Team, step: StepByAgent): ConventionFacts {
  const { agent, fallback, escalateTo = agent } = step;
  const isTold = [agent, ...fallback, escalateTo].some(
    (doer) => team.handle(doer).conventions !== "none",
  );
  // Programs and functions are told nothing of the others.
  if (!isTold) return { agent, channel: "", peers: [], marker: undefined, form: "text" };
  return { ...team.facts(agent, markerOf(step, team.handle(agent))), channel: "" };
}

/** What an earlier run made of the same. Steps that open a barrier are carried out: only their signal opens it. */
function findReusable(
  { sources, step, place }: Execution,
  inputHash: string,
): ReusableStep | undefined {
  const { context, definition } = sources;
  const opensBarrier = definition.barriers.some(({ waitFor }) => waitFor.includes(step.agent));
  return opensBarrier ? undefined : context.reusable({ ...place, inputHash });
}

/** Another agent may work in another directory, with scripts of its own that check it. */
async function checksFor(execution: Execution, agent: string): Promise<StepChecks> {
  const { team, step, checks } = execution;
  const place = team.place(agent);
  if (checks?.place.name === place.name) return checks;
  const checked = { step: step.id, checks: step.verify, place };
  execution.checks = await beginChecks(checkScope(sourcesFor(execution, agent)), checked);
  return execution.checks;
}

/** What variables say to an agent of this step. */
function sourcesFor({ sources, team, builtOn }: Execution, agent: string): VariableSources {
  return { ...sources, work: { place: team.place(agent), builtOn } };
}

/** What git says differs in another place; all else in a task is the same for all who try. */
async function givenTo(execution: Execution, agent: string): Promise<Task> {
  const { team, step, given } = execution;
  const isElsewhere = team.place(agent).name !== team.place(step.agent).name;
  const isTold = [agent, step.agent].some((doer) => team.handle(doer).isApart === true);
  if (!isElsewhere || !isTold || !usesGit(step.prompt)) return given;
  return fillTask(sourcesFor(execution, agent), step.prompt);
}

async function attemptWith(
  execution: Execution,
  { agent, attempt, before }: { agent: string; attempt: number; before: FailedTry | undefined },
): Promise<Attempted<undefined>> {
  const { sources, team, step, place, convention } = execution;
  const { path } = place;
  const given = await givenTo(execution, agent);
  const checks = await checksFor(execution, agent);
  return attemptStep(sources, team, {
    step,
    address: { id: step.id, path, execution: place.execution, attempt },
    agent,
    task: given.task,
    told: markedText(given.told),
    convention: () => convention(team.facts(agent, markerOf(step, team.handle(agent)))),
    before,
    checks,
  });
}

function toResult(own: string | undefined, end: StepEnd<undefined>): StepResult {
  const { durationMs } = end;
  switch (end.status) {
    case "skipped":
      return { status: "skipped", reason: end.reason };
    case "reused": {
      const { output, text = output, reason, agent, attempt: attempts } = end.reused;
      const told = handedOver(end.revised?.output, { output, text });
      const { durationMs } = end.reused;
      return {
        status: "completed",
        agent,
        ...told,
        reason,
        attempts,
        durationMs,
        ...ofCommand(end.reused, output),
      };
    }
    case "completed": {
      const { work, now } = end;
      const { output, reason, recorded } = work;
      const told = handedOver(end.revised?.output, { output, text: recorded.text ?? output });
      const { agent = own, attempt: attempts } = now;
      const ended = ofCommand(recorded, output);
      return { status: "completed", agent, ...told, reason, attempts, durationMs, ...ended };
    }
    case "failed": {
      const { agent = own, attempt: attempts } = end.now;
      const { error, output, command } = end;
      const told = { error, output: output || (failureOf(error)?.stdout ?? "") };
      return { status: "failed", agent, ...told, attempts, durationMs, ...present({ command }) };
    }
  }
}

function ofCommand(
  { outcome, command }: Pick<StepCompleted, "outcome" | "command">,
  stdout: string,
): Pick<Extract<StepResult, { readonly status: "completed" }>, "command" | "outcome"> {
  const ended = command === undefined ? undefined : { ...command, stdout };
  return present({ outcome, command: ended });
}

function handedOver(
  revised: string | undefined,
  own: { readonly output: string; readonly text: string },
): { readonly output: string; readonly text: string } {
  return revised === undefined ? own : { output: revised, text: revised };
}
