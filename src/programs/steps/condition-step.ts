import { z } from "zod";
import type { StepType } from "../../contracts/ports/step-type.ts";
import { isRecord } from "../../foundation/json.ts";
import { PLAIN_STEP } from "./parts/plain-step.ts";

const settings = z.strictObject({
  condition: z.string().min(1).describe("An expression; what it comes to decides the way."),
});

/** Goes one way or the other. What cannot be evaluated is a failure, never the `else` way (STP-6). */
export const conditionStep = {
  ...PLAIN_STEP,
  name: "condition",
  summary: "Goes on with `then` when an expression holds, else with `else`",
  settings,
  isLookedThrough: true,
  routes: ["then", "else"],
  goesOn: "own",
  mayBeNested: false,
  expressions: ["condition"],
  run: async ({ scope, settings: { condition } }) => {
    const result = scope.holds(condition);
    return { data: { result }, outcome: wayOf(result) };
  },
  route: (step, { success, data }) => {
    const holds = isRecord(data) && data["result"] === true;
    const id = step.routes[success ? wayOf(holds) : "on_error"];
    return id === undefined ? { kind: "end" } : { kind: "step", id };
  },
} as const satisfies StepType<z.infer<typeof settings>>;

function wayOf(holds: boolean): "then" | "else" {
  return holds ? "then" : "else";
}
