import { expect, test } from "vitest";
import { createClaudeBackend } from "../../../src/agents/backends/claude/claude-backend.ts";
import { createCodexBackend } from "../../../src/agents/backends/codex/codex-backend.ts";
import { createGeminiBackend } from "../../../src/agents/backends/gemini/gemini-backend.ts";
import { networkOf } from "../../../src/agents/places/confine-agent.ts";
import { createRefusals } from "../../../src/agents/places/run-places.ts";
import type { Surroundings } from "../../../src/agents/places/surroundings.ts";
import { configuredBackend } from "../../../src/app/machine/backends/configured-backend.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { createHost } from "../../../src/host/host.ts";
import { createTestHost } from "../../host/survivors.ts";
import { agent, playedBackend, runAgents, said } from "../agents-run.ts";

const tools = ["http://127.0.0.1:4000/mcp"];
const model = ["api.example", "http://127.0.0.1:5000/v1"];
const addresses = { tools, model };
const host = createHost({ run: "", clock: systemClock, env: {}, reaper: false });
const ports = { host, clock: systemClock };

test("a confined agent reaches its tools, its model and what is configured, each as it is named [SEC-5.network]", () => {
  expect(networkOf({}, { addresses }, ["*.pack.example", "10.0.0.5:8080"])).toEqual({
    hosts: ["api.example:443", "*.pack.example:443"],
    local: ["127.0.0.1:4000", "127.0.0.1:5000", "10.0.0.5:8080"],
  });
});

test("without network it reaches its tools alone, and with all of it every name [SEC-5.network, AGT-12]", () => {
  const configured = ["pack.example", "localhost:8080"];
  expect(networkOf({ network: false }, { addresses }, configured)).toEqual({
    hosts: [],
    local: ["127.0.0.1:4000"],
  });
  expect(networkOf({ network: true }, { addresses }, configured)).toEqual({
    hosts: "public",
    local: ["127.0.0.1:4000", "127.0.0.1:5000", "localhost:8080"],
  });
  expect(networkOf({}, { addresses: { tools: [], model: [] } }, [])).toBe("none");
});

test("a configured address takes the place of the provider's own hosts [SEC-5.network]", () => {
  const baseUrl = "http://127.0.0.1:5000/v1";
  const backends = [createClaudeBackend, createCodexBackend, createGeminiBackend];
  const [plain, configured] = [undefined, { baseUrl }].map((settings) =>
    backends.map((create) => create(ports, { name: "x", settings })),
  );
  const env = { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k", GEMINI_API_KEY: "k" };
  expect(plain?.map((backend) => backend.modelAddresses?.(env))).toEqual([
    ["api.anthropic.com"],
    ["api.openai.com"],
    ["generativelanguage.googleapis.com"],
  ]);
  expect(configured?.map((backend) => backend.modelAddresses?.(env))).toEqual(
    Array(3).fill([baseUrl]),
  );
});

test("the environment that the configuration gives to a backend says where its model is [SEC-5.network]", () => {
  const env = { ANTHROPIC_BASE_URL: "https://gate.example/v1" };
  const claude = createClaudeBackend(ports, { name: "claude", settings: { env } });
  const backend = configuredBackend(claude, { backends: { claude: { env } } });
  expect(backend.modelAddresses?.({ ANTHROPIC_API_KEY: "k" })).toEqual(["https://gate.example/v1"]);
});

test("each place that an agent was kept from is told once, the first hundred of them [SEC-5.network, T14]", () => {
  const refusals = createRefusals();
  for (let count = 0; count < 150; count += 1)
    refusals.add("one", { target: `x${count}.example:443`, reason: "it is not listed" });
  refusals.add("two", { target: "x0.example:443", reason: "it is not listed" });
  expect(refusals.take("one")).toHaveLength(100);
  refusals.add("one", { target: "x0.example:443", reason: "it is not listed" });
  expect(refusals.take("one")).toEqual([]);
  expect(refusals.take("two")).toEqual([
    { rule: "network", path: "x0.example:443", reason: "it is not listed" },
  ]);
});

test("a workflow may say where the model is, and gets no other place let in by that [SEC-5.network, T13.sandbox]", async () => {
  const backend = playedBackend(
    async function* () {
      yield said("ok");
    },
    {
      livesInSandbox: true,
      modelAddresses: ({ MODEL_URL = "https://api.example" }) => [MODEL_URL],
    },
  );
  const surroundings: Surroundings = {
    ...{ home: "/nonexistent", troupeDirectory: "/nonexistent/.troupe", hidden: [], written: [] },
    sandbox: { read: [], write: [], network: [] },
    repositories: createTestHost().repositories,
    ...{ isUnsandboxed: false, exclusively: (_repository, work) => work() },
  };
  const run = runAgents(
    async (context) => {
      const env = { MODEL_URL: "http://127.0.0.1:5432" };
      await context.spawn(agent("ada", { isolation: "sandbox", env }));
      await context.turn("ada", "go");
      return null;
    },
    { backend, surroundings },
  );
  await run.over();
  expect(backend.opened.map(({ env, confine }) => [env["MODEL_URL"], confine?.network])).toEqual([
    ["http://127.0.0.1:5432", { hosts: ["api.example:443"], local: [] }],
  ]);
});
