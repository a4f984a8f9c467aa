import { z } from "zod";
import { SIZE_PATTERN } from "../../foundation/size.ts";

const size = z
  .string()
  .regex(SIZE_PATTERN, "write a size such as 512MiB or 16GiB")
  .meta({ examples: ["16GiB"] });

/** What programs of agents may take of the machine, as configurations and workflows write it (SEC-7). */
export const agentLimitsSchema = z.strictObject({
  processes: z
    .int()
    .min(1)
    .max(4_000_000)
    .optional()
    .describe("Processes of a program with all that it started. Default: 4096."),
  memory: size.optional().describe("Memory of a program with all that it started. Default: 16GiB."),
  openFiles: z
    .int()
    .min(16)
    .max(1_000_000_000)
    .optional()
    .describe("Open files of each process. Default: 65536."),
  fileSize: size.optional().describe("Largest file that is written. Default: 16GiB."),
  log: size.optional().describe("What the log of an agent keeps of its output. Default: 64MiB."),
});

/** What agentLimitsSchema accepts; sizes are written like `16GiB`. */
export type AgentLimitsEntry = z.infer<typeof agentLimitsSchema>;
