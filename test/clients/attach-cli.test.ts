import { execFile } from "node:child_process";
import { delimiter, dirname } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { createFakeIo } from "../cli/fake-io.ts";
import { createUser } from "../e2e/daemon-user.ts";
import { installedClient } from "./installed-client.ts";
import { scriptText } from "./model-server/script.ts";
import { startedModel } from "./started-model.ts";

const run = promisify(execFile);

test("a person goes on with the session of a claude agent that waits in the background, and the agent goes on from there [AGT-14, KCK-8]", async (context) => {
  const [claude] = installedClient("claude", context);
  const model = await startedModel();
  const user = createUser({
    PATH: [dirname(claude), process.env["PATH"]].join(delimiter),
    ANTHROPIC_BASE_URL: model.urlFor("helper"),
    ANTHROPIC_API_KEY: "key-of-the-scripted-model",
  });
  const ask = async (text: string) => user.type("ask", "helper", scriptText({ text }));
  expect(await user.type("new", "helper", "--backend", "claude")).toMatchObject({ exitCode: 0 });
  expect((await ask("first answer")).out).toContain("first answer");

  let typed: unknown;
  const io = createFakeIo({
    cwd: user.cwd,
    env: user.env,
    isTerminal: true,
    // The same program and session as in the terminal, which a test has not: it answers once and ends.
    program: async ([program = "", ...args], place) => {
      const once = ["--print", "--output-format", "json", scriptText({ text: "to the person" })];
      const answering = run(program, [...args, ...once], { ...place, encoding: "utf8" });
      answering.child.stdin?.end();
      typed = JSON.parse((await answering).stdout);
      return 0;
    },
  });
  expect(await runCli(["attach", "helper", "--cli"], io)).toBe(0);
  expect(typed).toMatchObject({ is_error: false, result: "to the person" });
  expect(io.err()).toMatch(/the session of helper \(claude, run_\w{6}\) is yours/);
  expect(io.err()).toMatch(/run_\w{6} goes on in the background/);

  expect((await ask("last answer")).out).toContain("last answer");
  const last = model.calls("helper").findLast(({ body }) => body.includes("last answer"));
  expect(last?.body).toContain("first answer");
  expect(last?.body).toContain("to the person");
  const cost = await user.type("cost", "helper", "--by", "backend");
  expect(cost.out).toMatch(/^claude +2 /m);
});
