import type { AgentBackend, SessionRequest } from "../../../../contracts/backend.ts";
import type { Clock } from "../../../../foundation/clock.ts";
import type { ProcessHost } from "../../../../host/host.ts";
import { findAgentProgram, textSetting } from "../agent-program.ts";
import type { ProgramDescriptor } from "../backend-descriptor.ts";
import type { OwnSettings } from "../backend-settings.ts";
import { createProgramBackend, type ProgramFacts } from "../program-backend.ts";
import type { AcpCommand } from "./acp-launch.ts";

/** How such a program is driven. */
export interface AcpProgramFacts extends Omit<ProgramFacts, "open" | "interactive"> {
  /** Loads what sessions need. */
  load(): Promise<AcpCommand>;
}

/** The backend of a program for coding agents that speaks the Agent Client Protocol, one process per session. */
export function createAcpProgramBackend(
  descriptor: ProgramDescriptor,
  {
    host,
    clock,
    own,
  }: { readonly host: ProcessHost; readonly clock: Clock; readonly own: OwnSettings },
  { load, ...facts }: AcpProgramFacts,
): AgentBackend {
  const { settings } = own;
  const prepare = async (request: SessionRequest) => {
    const { spec, env, cwd } = request;
    const { openPrivateDirectory } = await import("../private-directory.ts");
    const command = await load();
    const program = descriptor.program.file;
    const argv = findAgentProgram({ spec, settings, program, env, cwd });
    command.assertPlace?.(request);
    const directory = await openPrivateDirectory(request.directory, descriptor.name);
    const call = { request, settings, directory };
    const always = [...argv, ...(command.args?.(call) ?? [])] as const;
    return { command, always, directory, ...(await command.prepare(call)) };
  };
  return createProgramBackend(
    descriptor,
    { host, own },
    {
      ...facts,
      open: async (request) => {
        const { openAcpSession } = await import("./acp-session.ts");
        const { command, always, env, dialect = {}, directory } = await prepare(request);
        const role = textSetting(request.spec, "systemPrompt");
        const launch = {
          argv: [...always, ...command.protocol] as const,
          env,
          dialect,
          ...(role === undefined || command.readsRole ? {} : { systemPrompt: role }),
          dispose: directory.dispose,
        };
        return openAcpSession({ host, clock, request, launch });
      },
      interactive: async (request) => {
        const { command, always, env } = await prepare(request);
        return { argv: [...always, ...command.terminal(request.resume)], env, cwd: request.cwd };
      },
    },
  );
}
