import { thisOwner } from "../src/host/process-owner.ts";
import { createProcessTable } from "../src/host/process-table.ts";

// A process has one reaper, which goes with its last user. This user stays until the worker ends: otherwise each run of
// each test would start a reaper of its own, and starting a process of Node costs more than most tests do.
thisOwner(createProcessTable(), process.env["TROUPE_MARK"]).hireReaper();
