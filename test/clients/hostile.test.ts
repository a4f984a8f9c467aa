import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { obeyed, writeHostileRepository } from "./conformance/hostile-repository.ts";
import { createLoneUser, type LoneUser } from "./lone-user.ts";
import { scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

// The slowest client takes most of a minute where the machine has much else to do.
const TIMEOUT_MS = 120_000;
const WORKS = scriptText({ calls: [{ shell: "echo seen" }] }, { text: "DONE: it said $RESULT" });
const RUN = ["run", "work.yaml", WORKS, "--json"];

/** What shows that a client takes what its project configures. */
const EFFECTS: { readonly [client in ClientName]: string } = {
  claude: "owned-by-claude-hook",
  codex: "owned-by-codex-mcp",
  gemini: "owned-by-gemini-hook",
  opencode: "owned-by-opencode-plugin",
};

/** As a person has it who wants to start the programs of a project by their names. */
function carelessPath({ cwd, bin }: LoneUser): { readonly PATH: string } {
  const first = [".", "./node_modules/.bin", join(cwd, "node_modules/.bin"), ""];
  return { PATH: [...first, bin, process.env["PATH"]].join(delimiter) };
}

test.for<ClientName>(["claude", "codex", "gemini"])(
  "a hostile repository starts nothing beside %s, sends its key nowhere and is told of [SEC-1, T6, T18]",
  { timeout: TIMEOUT_MS },
  async (client, context) => {
    const user = await createLoneUser(client, context);
    writeHostileRepository(user);
    const { exitCode, out, err } = await user.type(RUN, carelessPath(user));
    expect({ exitCode, err }).toEqual({
      exitCode: 0,
      err: expect.stringContaining("CONFIG_AGENTS_NOT_TRUSTED"),
    });
    expect(out).toContain('"type":"step-completed"');
    expect(out).toContain("it said");
    // What the repository permits is asked for all the same.
    expect(out).toMatch(/"type":"permission-requested".*"tool":"Bash"/);
    expect(obeyed(user)).toEqual([]);
  },
);

test("opencode, which would obey a hostile repository whatever it is told, is not started there [SEC-1, T18]", {
  timeout: TIMEOUT_MS,
}, async (context) => {
  const user = await createLoneUser("opencode", context);
  writeHostileRepository(user);
  const { exitCode, out } = await user.type(RUN, carelessPath(user));
  expect(exitCode).toBe(1);
  expect(out).toContain("BACKEND_PROJECT_UNTRUSTED");
  expect(user.model.calls()).toEqual([]);
  expect(obeyed(user)).toEqual([]);
});

const trusted: readonly ClientName[] = ["claude", "codex", "gemini", "opencode"];

test.for(trusted)(
  "what a project configures for %s takes effect once it is trusted; programs that lie in it are still not the client [SEC-1]",
  { timeout: TIMEOUT_MS },
  async (client, context) => {
    const user = await createLoneUser(client, context);
    writeHostileRepository(user);
    expect(await user.type(["trust", "--yes"])).toMatchObject({ exitCode: 0, err: "" });
    const { err } = await user.type(RUN, carelessPath(user));
    expect(err).not.toContain("CONFIG_AGENTS_NOT_TRUSTED");
    expect(obeyed(user)).toContain(EFFECTS[client]);
    expect(obeyed(user).filter((name) => name.startsWith("owned-by-fake-"))).toEqual([]);
  },
);

test("trust for one run ends with it [SEC-1]", { timeout: TIMEOUT_MS }, async (context) => {
  const user = await createLoneUser("claude", context);
  writeHostileRepository(user);
  await user.type([...RUN, "--trust"]);
  const once = obeyed(user).length;
  expect(once).toBeGreaterThan(0);
  const { err } = await user.type(RUN);
  expect(err).toContain("CONFIG_AGENTS_NOT_TRUSTED");
  expect(obeyed(user)).toHaveLength(once);
});
