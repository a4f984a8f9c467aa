import type { AccountLedger, AccountRecord } from "../../contracts/accounts.ts";

/** A ledger for whoever holds it: runs that leave no files share their accounts with nobody. */
export function createMemoryLedger(): AccountLedger {
  const records = new Map<string, AccountRecord>();
  return {
    update: (account, change) => {
      const { record, result } = change(records.get(account) ?? { pace: undefined, turns: [] });
      records.set(account, record);
      return result;
    },
    close: () => records.clear(),
  };
}
