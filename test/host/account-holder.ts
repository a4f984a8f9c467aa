import { openHostAccounts } from "../../src/host/host-accounts.ts";
import { OwnerBeats } from "../../src/host/owner-beats.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { currentProcessIdentity } from "../../src/host/system/process-identity.ts";

// Enters an account of a shared file and stays there until it is killed.
const table = createProcessTable();
const [path = ""] = process.argv.slice(2);
const accounts = openHostAccounts({
  path,
  identity: currentProcessIdentity(table),
  table,
  beats: new OwnerBeats(),
});
accounts.update("lab", ({ pace, turns }) => ({
  record: { pace, turns: [...turns, { id: "theirs", enteredMs: 1 }] },
  result: null,
}));
process.send?.("entered");
setInterval(() => {}, 1000);
