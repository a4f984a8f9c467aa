import type { Json } from "../../../src/foundation/json.ts";
import type { ModelCall, OfferedTool } from "./model-request.ts";
import type { ScriptedCall } from "./script.ts";

type Arguments = { readonly [name: string]: Json };

// The shell as the clients call it, with the arguments that they want.
const SHELLS: { readonly [tool: string]: (command: string) => Arguments } = {
  Bash: (command) => ({ command, description: "a scripted command" }),
  bash: (command) => ({ command, description: "a scripted command" }),
  run_shell_command: (command) => ({ command, description: "a scripted command" }),
  exec_command: (command) => ({ cmd: command }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ["sh", "-c", command] }),
};

/** The call in the words of the client. Raises when the client offers no such tool. */
export function toModelCall(call: ScriptedCall, offered: readonly OfferedTool[]): ModelCall {
  if ("shell" in call) return toShellCall(call.shell, offered);
  // Clients put the name of the server before the name of its tool.
  const tool =
    offered.find(({ name }) => name === call.tool) ??
    offered.find(({ name }) => name.endsWith(`_${call.tool}`));
  if (tool === undefined) throw notOffered(call.tool, offered);
  return { tool, args: call.args ?? {} };
}

function toShellCall(command: string, offered: readonly OfferedTool[]): ModelCall {
  for (const tool of offered) {
    const toArguments = Object.hasOwn(SHELLS, tool.name) ? SHELLS[tool.name] : undefined;
    if (toArguments !== undefined) return { tool, args: toArguments(command) };
  }
  throw notOffered("a shell", offered);
}

function notOffered(what: string, offered: readonly OfferedTool[]): Error {
  const names = offered.map(({ name }) => name).join(", ");
  return new Error(`the script calls ${what}, but the client offers only: ${names}`);
}
