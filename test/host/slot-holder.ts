import { systemClock } from "../../src/foundation/clock.ts";
import { openHostSlots } from "../../src/host/host-slots.ts";
import { OwnerBeats } from "../../src/host/owner-beats.ts";
import { createProcessTable } from "../../src/host/process-table.ts";
import { currentProcessIdentity } from "../../src/host/system/process-identity.ts";

// Takes the only place of a shared file and keeps it until it is killed.
const table = createProcessTable();
const [path = ""] = process.argv.slice(2);
const slots = openHostSlots({
  path,
  places: 1,
  identity: currentProcessIdentity(table),
  table,
  clock: systemClock,
  beats: new OwnerBeats(),
});
await slots.acquire(new AbortController().signal);
process.send?.("held");
setInterval(() => {}, 1000);
