import { createDarwinProcessTable } from "./darwin-process-table.ts";
import { createLinuxProcessTable } from "./linux-process-table.ts";
import { platformUnsupported } from "./system/errors.ts";
import type { ProcessTable } from "./system/process-entry.ts";

/** The process table of this machine. Raises HOST_PLATFORM_UNSUPPORTED. */
export function createProcessTable(platform: string = process.platform): ProcessTable {
  if (platform === "linux") return createLinuxProcessTable();
  if (platform === "darwin") return createDarwinProcessTable();
  throw platformUnsupported({ platform });
}
