import { endLeftovers } from "../../host/leftovers.ts";
import type { Machine } from "./machine.ts";

/** Ends what owners that are gone left running (ENG-6); the number of processes. Raises HOST_PROCESS_SURVIVED. */
export async function clearLeftovers(machine: Machine): Promise<number> {
  const ended = await endLeftovers({ table: machine.table });
  return ended.length;
}
