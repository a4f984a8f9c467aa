import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionRequest } from "../../../contracts/backend.ts";
import type { AcpCommand } from "../parts/acp/acp-launch.ts";
import { projectUntrusted } from "../parts/errors.ts";
import { OPENCODE } from "./opencode-descriptor.ts";
import { databaseFile, prepareOpencodeEnvironment } from "./opencode-environment.ts";
import { createSessionDatabase } from "./session-database.ts";

/** How opencode is called. */
export const opencodeCommand: AcpCommand = {
  protocol: ["acp"],
  terminal: (session) => (session === undefined ? [] : ["--session", session]),
  assertPlace: assertTrusted,
  readsRole: true,
  prepare: async (call) => {
    const env = await prepareOpencodeEnvironment(call);
    const database = createSessionDatabase(databaseFile(call.directory));
    return { env, dialect: { sessionUsage: database.usageOf, failureOf: database.failureOf } };
  },
};

/**
 * Part of opencode obeys what a project configures, plug-ins included, although it is told not to. So it is not
 * started where there is such a thing and nobody trusted it. Raises BACKEND_PROJECT_UNTRUSTED.
 */
export function assertTrusted({
  cwd,
  env,
  spec,
  trustsProject = false,
}: Pick<SessionRequest, "cwd" | "env" | "spec" | "trustsProject">): void {
  if (trustsProject) return;
  const path = configuredAt(cwd, env["HOME"]);
  if (path !== undefined) throw projectUntrusted({ agent: spec.id, program: "opencode", path });
}

/** What configures opencode in a directory or above it; what lies in the user's home is the user's own. */
function configuredAt(directory: string, home: string | undefined): string | undefined {
  const own = directory === home ? [] : (OPENCODE.obeys ?? []).map((name) => join(directory, name));
  const found = own.find((path) => existsSync(path));
  const above = dirname(directory);
  if (found !== undefined || above === directory) return found;
  return configuredAt(above, home);
}
