/** How much work one evaluation may be, whatever the schema and the data are. */
export interface WorkLimit {
  /** Raises EvaluationExceeded when there has been too much. */
  spend(units: number): void;
}

/** Ends an evaluation that nobody can wait for; what was evaluated does not count as fitting. */
export class EvaluationExceeded extends Error {}

/** A limit of so many units, each of which takes some 100 ns. */
export function createWorkLimit(maxUnits: number): WorkLimit {
  let spent = 0;
  return {
    spend: (units) => {
      spent += units;
      if (spent > maxUnits) throw new EvaluationExceeded("it takes too much work to check");
    },
  };
}
