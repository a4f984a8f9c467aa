import { AccountGate, type AccountGateOptions } from "./account-gate.ts";

/**
 * Keeps the turns of each account to what its provider takes: a provider that asks one agent to wait makes all
 * agents of the account wait, and then lets them come back little by little (LOOP-5).
 */
export interface RateGovernor {
  /** The gate of an account, by the name that its backend gives it. */
  account(label: string): AccountGate;
}

/** A governor; all that share its ledger share their accounts. */
export function createRateGovernor(options: AccountGateOptions): RateGovernor {
  const gates = new Map<string, AccountGate>();
  return {
    account: (label) => {
      const gate = gates.get(label) ?? new AccountGate(label, options);
      gates.set(label, gate);
      return gate;
    },
  };
}
