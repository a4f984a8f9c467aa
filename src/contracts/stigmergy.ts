/** Marks that agents leave for each other and that fade (PRM-stigmergy). */
export interface StigmergySpec {
  /** Where deposits go that name no other place. */
  readonly namespace: string;
  /** Share of a mark that is gone after a second, from 0 to 1. */
  readonly decayRate: number;
  /** Below it a mark is none. */
  readonly minThreshold: number;
  /** How a deposit changes what lies at its key already. */
  readonly reinforcement: "additive" | "multiplicative" | "max";
}
