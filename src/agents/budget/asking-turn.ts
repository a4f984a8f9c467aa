import type { AgentSpec } from "../../contracts/agent.ts";
import type { Metering } from "../../contracts/backend.ts";
import type { StepAddress } from "../../contracts/step.ts";
import type { TroupeError } from "../../foundation/errors.ts";
import type { TurnAllowance, TurnBelow } from "./turn-allowance.ts";

/** A turn that wants to start. */
export interface TurnToAdmit {
  readonly spec: AgentSpec;
  readonly metering: Metering | undefined;
  readonly turn: number;
  readonly attempt: number;
  /** The step that it serves. */
  readonly step: Pick<StepAddress, "id" | "path"> | undefined;
  /** Set where a run below asks. */
  readonly below?: TurnBelow;
}

/** Whether a turn may start. `held`: not now; `whenChanged` of the keeper tells when to ask again. */
export type TurnAdmission =
  | { readonly status: "granted"; readonly allowance: TurnAllowance }
  | { readonly status: "held" }
  | { readonly status: "refused"; readonly error: TroupeError };
