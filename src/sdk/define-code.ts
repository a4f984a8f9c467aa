import type { BackendOptions } from "../contracts/own-backend.ts";
import type { OwnModel, OwnTool } from "../contracts/own-model.ts";
import type { PatternOptions } from "../contracts/ports/own-pattern.ts";
import type { StepGuard, StepTypeOptions } from "../contracts/ports/step-type.ts";

/**
 * Declares a step type of your own. Its `execute` is given the step's input, `{input, context, errors?}` and what
 * `input` names, and its JSON result becomes the data; what it throws fails the attempt. Names and keys are checked
 * where the type is used: WORKFLOW_STEP_TYPE_INVALID.
 *
 * @example
 * ```ts
 * export const fetchPage = defineStepType({
 *   name: "fetch-page",
 *   settings: z.strictObject({ url: z.string() }),
 *   templates: ["url"],
 *   execute: async (_input, { settings, scope, signal }) => {
 *     const response = await fetch(scope.text(settings.url), { signal });
 *     return { status: response.status, text: await response.text() };
 *   },
 * });
 * ```
 */
export function defineStepType<
  Settings,
  const Name extends string,
  const Route extends string = never,
>(options: DeclaredStepType<Settings, Name, Route>): DeclaredStepType<Settings, Name, Route> {
  return options;
}

/** A step type whose name and routes are known when it is compiled. */
export interface DeclaredStepType<Settings, Name extends string, Route extends string>
  extends Omit<StepTypeOptions<Settings>, "name" | "routes"> {
  readonly name: Name;
  readonly routes?: readonly Route[];
}

/**
 * Declares a guard of your own, which is asked before each step and ends the run as `limit-reached` by saying why.
 * It must be pure: after a crash it is asked again.
 *
 * @example
 * ```ts
 * const threePlans = defineGuard({
 *   name: "three-plans",
 *   check: ({ history }) =>
 *     history.filter(({ stepId }) => stepId === "plan").length < 3 ? undefined : "three plans are enough",
 * });
 * ```
 */
export function defineGuard(guard: StepGuard): StepGuard {
  return guard;
}

/**
 * Declares a pattern of your own: a program that gives turns to the agents of a workflow. It takes the same way after a
 * crash, so what it decides must come from its context and what its turns said: no clock, randomness, files or network
 * but through `context`. Names and keys are checked where it is used: WORKFLOW_PATTERN_INVALID.
 *
 * @example
 * ```ts
 * export const relay = definePattern({
 *   name: "relay-race",
 *   block: z.strictObject({ laps: z.int().min(1) }),
 *   run: async (_context, { agents, block, turn }) => {
 *     let baton = "";
 *     for (let lap = 1; lap <= block.laps; lap += 1)
 *       for (const { id } of agents) {
 *         const said = await turn({ agent: id, now: `Lap ${lap}. The baton: ${baton}`, demands: "DONE" });
 *         if (said.status === "left") return { outcome: "failed", reason: said.error.message };
 *         baton = said.output;
 *       }
 *     return { outcome: "completed", reason: "all laps are run", output: baton };
 *   },
 * });
 * ```
 */
export function declarePattern<Block = unknown>(
  pattern: PatternOptions<Block>,
): PatternOptions<Block> {
  return pattern;
}

/**
 * Declares a backend of your own: a way to run agents. What its `create` makes must keep what the suite
 * `backendConformance` of `troupe/testing` checks; `means.session` keeps most of it by itself. The name is checked where
 * it is used: WORKFLOW_BACKEND_INVALID; what its code throws is WORKFLOW_BACKEND_BROKEN.
 *
 * @example
 * ```ts
 * export const house = defineBackend({
 *   name: "house",
 *   create: ({ session }) => ({
 *     name: "house",
 *     conventions: "text",
 *     demandsSignal: true,
 *     takesMessages: true,
 *     check: async () => [],
 *     open: async (request) =>
 *       session(request, async ({ request: turn, signal }) => {
 *         const response = await fetch("http://127.0.0.1:8080/complete", { method: "POST", body: turn.prompt, signal });
 *         return response.text();
 *       }),
 *   }),
 * });
 * ```
 */
export function defineBackend(backend: BackendOptions): BackendOptions {
  return backend;
}

/**
 * Declares a model of your own as a backend: its agents are models in Troupe's loop, with tools of yours beside those of
 * the loop. `model` is any model of AI SDK 7. It is taken where backends are: `backends` of a run, and of a plug-in.
 *
 * @example
 * ```ts
 * export const house = defineModel({
 *   name: "house",
 *   model: createOpenAICompatible({ name: "house", baseURL: "http://127.0.0.1:8080/v1" })("qwen3-coder"),
 *   tools: [wordCount],
 *   contextWindow: 32_000,
 * });
 * ```
 */
export function defineModel(model: OwnModel): OwnModel {
  return model;
}

/**
 * Declares a tool of your own for agents that are models; gives `run` the type of its schema. Its name and schema are
 * checked where it is used: WORKFLOW_BACKEND_INVALID, BACKEND_SETTINGS_INVALID.
 *
 * @example
 * ```ts
 * const wordCount = defineTool({
 *   name: "word_count",
 *   description: "Counts the words of a text.",
 *   input: z.object({ text: z.string() }),
 *   isReadOnly: true,
 *   run: ({ text }) => text.split(/\s+/).length,
 * });
 * ```
 */
export function declareTool<Input>(tool: OwnTool<Input>): OwnTool<Input> {
  return tool;
}
