import { methods, RequestError } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import type { SessionRequest } from "../../../../src/contracts/backend.ts";
import { type AgentScript, chunk } from "./in-memory-agent.ts";
import { openSession, takeTurn } from "./open-session.ts";

const access = { token: "secret-token", url: "http://127.0.0.1:1/mcp", socketPath: "/run/c.sock" };
const says: AgentScript = {
  prompt: async ({ tell }) => {
    await tell(chunk("done"));
    return { stopReason: "end_turn" };
  },
};

test("agents that speak HTTP reach Troupe's tools there, others through troupe mcp [MCP-5]", async () => {
  const byHttp = await openSession(says, { access });
  const byPipe = await openSession({ ...says, capabilities: { http: false } }, { access });
  const headers = [{ name: "Authorization", value: "Bearer secret-token" }];
  expect(paramsOf(byHttp, "session/new")).toEqual({
    cwd: "/project",
    mcpServers: [{ type: "http", name: "troupe", url: access.url, headers }],
  });
  expect(paramsOf(byPipe, "session/new")).toMatchObject({
    mcpServers: [
      {
        name: "troupe",
        command: process.execPath,
        args: [expect.stringMatching(/bin\/troupe\.js$/), "mcp", "--agent", "worker"],
        env: [
          { name: "TROUPE_CONTEXT_TOKEN", value: "secret-token" },
          { name: "TROUPE_CONTEXT_SOCKET", value: "/run/c.sock" },
        ],
      },
    ],
  });
});

test("what an agent tells of earlier turns is no part of the turn after it was resumed [AGT-7.crash]", async () => {
  const tellsLate: AgentScript = {
    ...says,
    extend: (app) => {
      app.onRequest(methods.agent.session.load, ({ params: { sessionId }, client }) => {
        const tellAll = async () => {
          for (const turn of Array.from({ length: 20 }).keys()) {
            const update = chunk(`of turn ${turn}`);
            await client.notify(methods.client.session.update, { sessionId, update });
          }
        };
        // As Gemini does: the reply is on its way while the history is still told.
        void tellAll();
        return {};
      });
    },
  };
  const opened = await openSession(tellsLate, { resume: "session-1" });
  expect(opened.session.resume).toBe("session-1");
  const updates = await takeTurn(opened, { turn: 2 });
  expect(updates).toEqual([
    { type: "text-delta", text: "done" },
    { type: "stop", reason: "end_turn", text: "done" },
  ]);
});

test("a session that the agent does not know is an error that says so [AGT-7.crash]", async () => {
  const unknown: AgentScript = {
    extend: (app) => {
      app.onRequest(methods.agent.session.load, () => {
        throw new RequestError(-32_603, "Internal error", { details: "no such session" });
      });
    },
  };
  const code = "BACKEND_SESSION_UNKNOWN";
  await expect(openSession(unknown, { resume: "other" })).rejects.toMatchObject({ code });
  const cannot = { capabilities: { loadSession: false } };
  await expect(openSession(cannot, { resume: "other" })).rejects.toMatchObject({ code });
  expect((await openSession(cannot)).session).not.toHaveProperty("resume");
});

test("an agent that wants a sign-in is not asked to sign in: that is for a person [AGT-14]", async () => {
  const signedOut: AgentScript = {
    extend: (app) => {
      app.onRequest(methods.agent.session.new, () => {
        throw RequestError.authRequired();
      });
    },
  };
  await expect(openSession(signedOut)).rejects.toMatchObject({ code: "BACKEND_NOT_SIGNED_IN" });
});

test("the model and the read-only mode are chosen where the agent offers them [AGT-3.acp, AGT-10]", async () => {
  const chosen: unknown[] = [];
  const offering: AgentScript = {
    extend: (app) => {
      app
        .onRequest(methods.agent.session.new, () => ({
          sessionId: "session-1",
          modes: {
            currentModeId: "default",
            availableModes: [
              { id: "default", name: "Default" },
              { id: "plan", name: "Plan" },
            ],
          },
          configOptions: [
            {
              id: "m",
              name: "Model",
              category: "model",
              type: "select",
              currentValue: "small",
              options: [
                { value: "small", name: "Small" },
                { value: "large", name: "Large" },
              ],
            },
          ],
        }))
        .onRequest(methods.agent.session.setMode, ({ params }) => {
          chosen.push(params);
        })
        .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
          chosen.push(params);
          return { configOptions: [] };
        });
    },
  };
  const spec: SessionRequest["spec"] = {
    id: "worker",
    backend: "acp",
    model: "large",
    permissionMode: "plan",
  };
  await openSession(offering, { spec });
  expect(chosen).toEqual([
    { sessionId: "session-1", configId: "m", value: "large" },
    { sessionId: "session-1", modeId: "plan" },
  ]);
  await expect(openSession(says, { spec })).rejects.toMatchObject({
    code: "BACKEND_SETTINGS_INVALID",
  });
});

test.each([undefined, "gemini --acp", [], ["a", 1], [""]])(
  "a command that is none is refused before anything starts: %j [AGT-3.acp]",
  async (command) => {
    const settings = command === undefined ? {} : { command };
    const spec = { id: "worker", backend: "acp", settings: { command: "", ...settings } };
    await expect(openSession(says, { spec })).rejects.toMatchObject({
      code: "BACKEND_SETTINGS_INVALID",
    });
  },
);

function paramsOf(
  { asked }: Pick<Awaited<ReturnType<typeof openSession>>, "asked">,
  method: string,
): unknown {
  return asked.find((call) => call.method === method)?.params;
}
