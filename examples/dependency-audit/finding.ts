/** From the most serious on. */
export const SEVERITIES = ["high", "medium", "low"] as const;

/** How serious a finding is. */
export type Severity = (typeof SEVERITIES)[number];

/** What a check has found out about a package. */
export interface Finding {
  readonly severity: Severity;
  readonly name: string;
  readonly problem: string;
}
