import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AgentSession, TurnRequest, TurnUpdate } from "../../../../src/contracts/backend.ts";
import { createProcessTable } from "../../../../src/host/process-table.ts";
import { createRecordingClient, createTurnRequest } from "../../../../src/testing/turn-request.ts";
import { createFakeAider, transcriptOf } from "./fake-aider.ts";

async function take(
  session: AgentSession,
  parts: Partial<TurnRequest> = {},
): Promise<readonly TurnUpdate[]> {
  const updates: TurnUpdate[] = [];
  for await (const update of session.prompt(createTurnRequest(parts))) updates.push(update);
  return updates;
}

const asks = [
  {
    method: "requestPermission",
    input: { tool: "Edit", input: { file_path: expect.any(String) } },
  },
];

describe("an aider agent", () => {
  test("says what the model said, and what it cost [AGT-2, AGT-3.aider, AGT-15]", async () => {
    const aider = createFakeAider();
    aider.plays(transcriptOf("answer"), "The parser reads a line.\n\nDONE: explained");
    const session = await aider.backend.open(aider.request());
    const updates = await take(session);
    await session.close();
    const usage = { inputTokens: 2400, cachedTokens: 1100, outputTokens: 87, costUsd: 0.0085 };
    expect(updates).toContainEqual({ type: "usage", usage });
    expect(updates.at(-1)).toEqual({
      type: "stop",
      reason: "end_turn",
      text: "The parser reads a line.\n\nDONE: explained",
    });
  });

  test("edits after Troupe allowed it, without commits, commands or its own bypass of them [AGT-10]", async () => {
    const aider = createFakeAider();
    aider.plays(transcriptOf("edit"), "raised");
    const session = await aider.backend.open(aider.request());
    const client = createRecordingClient();
    const updates = await take(session, { client });
    await session.close();
    expect(client.calls).toEqual(asks);
    expect(updates.filter(({ type }) => type === "file-change")).toEqual([
      { type: "file-change", path: "src/parser.ts", kind: "edit" },
      { type: "file-change", path: "docs/größe.md", kind: "edit" },
    ]);
    const [{ args } = { args: [] }] = aider.records();
    expect(args).toEqual(
      expect.arrayContaining([
        "--yes-always",
        "--no-suggest-shell-commands",
        "--no-auto-commits",
        "--no-dirty-commits",
        "--no-auto-lint",
        "--no-auto-test",
        "--no-detect-urls",
      ]),
    );
  });

  test("answers without editing when Troupe denies it, and hears why [AGT-10]", async () => {
    const aider = createFakeAider();
    aider.plays(transcriptOf("answer"), "ok");
    const session = await aider.backend.open(aider.request());
    const client = createRecordingClient({
      requestPermission: async () => ({ decision: "denied", comment: "freeze until monday" }),
    });
    await take(session, { client, prompt: "raise the limit" });
    await session.close();
    const [{ args, prompt } = { args: [], prompt: "" }] = aider.records();
    expect(args.slice(-2)).toEqual(["--chat-mode", "ask"]);
    expect(args).not.toContain("--yes-always");
    expect(prompt).toContain("freeze until monday");
    expect(prompt).toContain("raise the limit");
  });

  test.each([
    ["in plan mode", { permissionMode: "plan" as const }],
    ["without the tool for it", { tools: ["Read"] }],
  ])("asks nobody and edits nothing %s [AGT-10, KCK-7]", async (_, changes) => {
    const aider = createFakeAider();
    aider.plays(transcriptOf("answer"), "ok");
    const request = aider.request();
    const session = await aider.backend.open({ ...request, spec: { ...request.spec, ...changes } });
    const client = createRecordingClient();
    await take(session, { client });
    await session.close();
    expect(client.calls).toEqual([]);
    expect(aider.records()[0]?.args.slice(-2)).toEqual(["--chat-mode", "ask"]);
  });

  test.each(["/run touch owned", "!touch owned", "  \n/run touch owned"])(
    "never hands on a prompt that aider would take for a command of its own: %j [T6]",
    async (prompt) => {
      const aider = createFakeAider();
      aider.plays(transcriptOf("answer"), "ok");
      const session = await aider.backend.open(aider.request());
      await take(session, { prompt });
      await session.close();
      expect(aider.records()[0]?.prompt).toBe(`Task:\n${prompt}`);
    },
  );

  test("gets a prompt of 1 MiB and its role by files, never by arguments [AGT-5]", async () => {
    const aider = createFakeAider();
    aider.plays(transcriptOf("answer"), "ok");
    const prompt = `first ${"x".repeat(1024 * 1024)} last $& \`"'\\ ü`;
    const request = aider.request();
    const spec = { ...request.spec, settings: { systemPrompt: "You are a reviewer." } };
    const session = await aider.backend.open({ ...request, spec });
    await take(session, { prompt });
    await session.close();
    const [record] = aider.records();
    expect(record?.prompt).toBe(prompt);
    expect(record?.role).toBe("You are a reviewer.");
    expect(record?.args.join(" ").length).toBeLessThan(4000);
  });

  test("goes on with its conversation in a later process, and with no other [AGT-7.crash]", async () => {
    const aider = createFakeAider();
    aider.plays(transcriptOf("answer"), "noted");
    const first = await aider.backend.open(aider.request());
    await take(first);
    const { resume = "" } = first;
    await first.close();
    const second = await aider.backend.open(aider.request({ resume }));
    const updates = await take(second, { turn: 2 });
    await second.close();
    expect(aider.records()[1]?.history).toContain("noted");
    expect(aider.records()[1]?.args).toContain("--restore-chat-history");
    // What the first turn said is not said again.
    expect(updates.at(-1)).toEqual({ type: "stop", reason: "end_turn", text: "noted" });
    for (const unknown of ["../../etc/passwd", crypto.randomUUID()])
      await expect(aider.backend.open(aider.request({ resume: unknown }))).rejects.toMatchObject({
        code: "BACKEND_SESSION_UNKNOWN",
      });
  });

  test("that cannot reach its model fails with the provider's status, whatever its exit code [AGT-2, LOOP-5]", async () => {
    const aider = createFakeAider();
    const session = await aider.backend.open(aider.request());
    aider.plays(transcriptOf("bad-key"));
    expect((await take(session)).at(-1)).toMatchObject({
      type: "error",
      error: { code: "BACKEND_NOT_SIGNED_IN", details: { status: 401 } },
    });
    // It goes on retrying: Troupe ends it.
    aider.plays(transcriptOf("rate-limited"));
    const updates = await take(session);
    expect(updates.filter(({ type }) => type === "retrying")).toHaveLength(3);
    expect(updates.at(-1)).toMatchObject({
      type: "error",
      error: { code: "BACKEND_OVERLOADED", retryable: true },
    });
    aider.plays(transcriptOf("recovered"), "All is well.");
    expect((await take(session)).at(-1)).toMatchObject({ type: "stop", text: "All is well." });
    await session.close();
  });

  test("that exits with 0 before the model answered has not completed its turn [AGT-2]", async () => {
    const aider = createFakeAider();
    aider.plays("Aider v0.86.2\n");
    const session = await aider.backend.open(aider.request());
    expect((await take(session)).at(-1)).toMatchObject({
      type: "error",
      error: { code: "BACKEND_EXITED", details: { exitCode: 0 } },
    });
    await session.close();
  });

  test("cut off in the middle of a turn is gone with all that it started [AGT-2, ENG-6]", async () => {
    const aider = createFakeAider();
    aider.plays("hang");
    const session = await aider.backend.open(aider.request());
    const controller = new AbortController();
    const updates: TurnUpdate[] = [];
    for await (const update of session.prompt(createTurnRequest({ signal: controller.signal }))) {
      updates.push(update);
      if (update.type === "text-delta") controller.abort();
    }
    expect(updates.at(-1)).toEqual({ type: "stop", reason: "cancelled" });
    const root = aider.request().env["FAKE_ROOT"];
    const { entries } = await createProcessTable().list();
    const living = entries.filter((entry) => !entry.isDead && entry.variable("FAKE_ROOT") === root);
    expect(living).toEqual([]);
    await session.close();
  });

  test.each([".aider.conf.yml", ".env", ".aider.model.settings.yml"])(
    "does not start where %s of the project would command it, before the project is trusted [SEC-1, T6]",
    async (name) => {
      const aider = createFakeAider();
      mkdirSync(join(aider.cwd, ".git"));
      writeFileSync(join(aider.cwd, name), "");
      const below = join(aider.cwd, "packages/core");
      mkdirSync(below, { recursive: true });
      for (const cwd of [aider.cwd, below])
        await expect(aider.backend.open(aider.request({ cwd }))).rejects.toMatchObject({
          code: "BACKEND_SETTINGS_INVALID",
          message: expect.stringContaining("troupe trust"),
        });
      const trusted = await aider.backend.open(aider.request({ trustsProject: true }));
      await trusted.close();
    },
  );

  test("with a key has a private home, else the user's own [AGT-14]", async () => {
    const aider = createFakeAider();
    aider.plays(transcriptOf("answer"), "ok");
    const { env } = aider.request();
    expect(aider.backend.signIn?.(env)).toEqual({ by: "key", variable: "OPENAI_API_KEY" });
    const withKey = await aider.backend.open(aider.request());
    await take(withKey);
    await withKey.close();
    expect(aider.records()[0]?.env["HOME"]).toBe(join(aider.directory, "aider/home"));
    const { OPENAI_API_KEY: _, ...rest } = env;
    expect(aider.backend.signIn?.(rest)).toEqual({ by: "nothing" });
    writeFileSync(join(rest["HOME"] ?? "", ".aider.conf.yml"), "");
    expect(aider.backend.signIn?.(rest)).toEqual({ by: "login", directory: rest["HOME"] });
    const withLogin = await aider.backend.open(aider.request({ env: rest }));
    await take(withLogin);
    await withLogin.close();
    expect(aider.records()[1]?.env["HOME"]).toBe(rest["HOME"]);
    expect(existsSync(join(aider.cwd, ".aider.chat.history.md"))).toBe(false);
    expect(readdirSync(aider.cwd)).toEqual([]);
  });

  test("finds model, key and address where the configuration says, and its account tells no secret [AGT-3.aider, AGT-3.settings, LOOP-5]", async () => {
    const baseUrl = "http://user:hidden@127.0.0.1:9/v1";
    const aider = createFakeAider({ model: "openai/small", baseUrl, apiKeyEnv: "MY_KEY" });
    aider.plays(transcriptOf("answer"), "ok");
    const { env: given, ...request } = aider.request();
    const env = { ...given, MY_KEY: "sk-mine" };
    const session = await aider.backend.open({ ...request, env });
    await take(session);
    await session.close();
    const [record] = aider.records();
    expect(record?.args).toEqual(expect.arrayContaining(["--model", "openai/small"]));
    expect(record?.env).toMatchObject({ OPENAI_API_KEY: "sk-mine", OPENAI_API_BASE: baseUrl });
    expect(aider.backend.passes).toContain("MY_KEY");
    expect(aider.backend.account?.({ ...request, env })).toMatch(
      /^aider 127\.0\.0\.1:9 [0-9a-f]{12}$/,
    );
  });

  test("opens in a terminal on its conversation [AGT-3.aider]", async () => {
    const aider = createFakeAider();
    aider.plays(transcriptOf("answer"), "ok");
    const session = await aider.backend.open(aider.request());
    await take(session);
    const { resume = "" } = session;
    await session.close();
    const command = await aider.backend.interactive?.(aider.request({ resume }));
    expect(command?.cwd).toBe(aider.cwd);
    expect(command?.argv).toContain("--restore-chat-history");
    expect(command?.argv).not.toContain("--message-file");
    expect(command?.argv.join(" ")).toContain(resume);
  });
});
