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
