import type { SessionRequest } from "../../../contracts/backend.ts";
import type { AcpCall, AcpCommand } from "../parts/acp/acp-launch.ts";
import { assertNoOrders } from "../parts/assert-no-orders.ts";
import { cursorSignIn } from "./cursor-sign-in.ts";

// Commands that need no permission, commands to run at events, servers to start. Its rules are plain text.
const OBEDIENT_CURSOR = {
  name: "cursor-agent",
  obeys: [".cursor/cli.json", ".cursor/hooks.json", ".cursor/mcp.json"],
} as const;

/** How Cursor is called. */
export const cursorCommand: AcpCommand = {
  args: ({ request, settings }) => {
    const model = request.spec.model ?? settings?.model;
    return [
      ...(settings?.baseUrl === undefined ? [] : ["--endpoint", settings.baseUrl]),
      ...(model === undefined ? [] : ["--model", model]),
    ];
  },
  protocol: ["acp"],
  terminal: (session) => (session === undefined ? [] : ["--resume", session]),
  assertPlace: (request) => assertNoOrders(request, OBEDIENT_CURSOR),
  prepare: async (call) => ({ env: await environmentOf(call) }),
};

/** With a key Cursor gets a home of its own, where it keeps its settings, servers and sessions. */
async function environmentOf({
  request: { env },
  settings,
  directory,
}: AcpCall): Promise<SessionRequest["env"]> {
  if (cursorSignIn(env, settings).by !== "key") return env;
  const home = await directory.make("home");
  const { apiKeyEnv } = settings ?? {};
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv];
  return {
    ...env,
    ...(key === undefined ? {} : { CURSOR_API_KEY: key }),
    HOME: home,
    CURSOR_CONFIG_DIR: await directory.make("config"),
  };
}
