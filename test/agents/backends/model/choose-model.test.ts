import { expect, test } from "vitest";
import { createModelBackend } from "../../../../src/agents/backends/model/model-backend.ts";
import {
  addressOf,
  chooseModel,
} from "../../../../src/agents/backends/model/provider/choose-model.ts";
import type { BackendSettings } from "../../../../src/agents/backends/parts/backend-settings.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { createTestHost } from "../test-host.ts";

type Settings = { readonly [name: string]: BackendSettings };

const choose = (model: string | undefined, settings: Settings = {}, name = "model") =>
  chooseModel(
    { id: "a", backend: name, ...(model === undefined ? {} : { model }) },
    { own: { name, settings: settings[name] }, settings },
  );
const local: Settings = { local: { type: "model", baseUrl: "http://127.0.0.1:8080/v1" } };

test.each([
  ["anthropic/claude", {}, "anthropic", "claude", "https://api.anthropic.com/v1"],
  ["openai/org/gpt", {}, "openai", "org/gpt", "https://api.openai.com/v1"],
  ["google/gemini", { google: { baseUrl: "http://g/v1" } }, "google", "gemini", "http://g/v1"],
  ["local/qwen", local, "local", "qwen", "http://127.0.0.1:8080/v1"],
] as const)(
  "%s is a model of its provider [LOOP-9.configuration]",
  (...[model, settings, provider, id, baseUrl]) => {
    expect(choose(model, settings)).toMatchObject({ provider, id, baseUrl });
  },
);

test("a backend of type model has models of its own, by their names alone too [LOOP-9.configuration]", () => {
  const chosen = { provider: "local", id: "qwen", keys: [] };
  expect(choose("qwen", local, "local")).toMatchObject(chosen);
  expect(choose("local/qwen", local, "local")).toMatchObject(chosen);
});

test.each([
  [undefined, {}, "model", "it names no model"],
  ["claude", {}, "model", 'its model is "claude"; write `provider/name`'],
  ["antropic/x", {}, "model", 'did you mean "anthropic"?'],
  ["mine/x", { mine: { type: "model" } }, "model", "backends.mine.baseUrl"],
] as const)(
  "the model %s is refused with what to do [LOOP-9.configuration]",
  (...[model, settings, name, problem]) => {
    expect(() => choose(model, settings, name)).toThrow(problem);
  },
);

test.each([
  [{}, "http://127.0.0.1:11434/v1"],
  [{ OLLAMA_HOST: "10.0.0.7" }, "http://10.0.0.7:11434/v1"],
  [{ OLLAMA_HOST: "0.0.0.0:9000" }, "http://127.0.0.1:9000/v1"],
  [{ OLLAMA_HOST: "https://o.example.com:443" }, "https://o.example.com/v1"],
])("ollama is where %j says [LOOP-9.configuration]", (env, expected) => {
  expect(addressOf(choose("ollama/x"), { id: "a" }, env)).toBe(expected);
});

test.each([
  ["anthropic/x", { ANTHROPIC_BASE_URL: "https://gw.example.com" }, "https://gw.example.com/v1"],
  [
    "anthropic/x",
    { ANTHROPIC_BASE_URL: "https://gw.example.com/a/" },
    "https://gw.example.com/a/v1",
  ],
  ["anthropic/x", { ANTHROPIC_BASE_URL: "https://gw.example.com/v1" }, "https://gw.example.com/v1"],
  ["openai/x", { OPENAI_BASE_URL: "https://gw.example.com/v1" }, "https://gw.example.com/v1"],
  ["openai/x", { OPENAI_BASE_URL: "https://gw.example.com/o" }, "https://gw.example.com/o"],
  ["google/x", { GOOGLE_GEMINI_BASE_URL: "https://g.example.com" }, "https://g.example.com/v1beta"],
  ["google/x", { GOOGLE_GEMINI_BASE_URL: " " }, "https://generativelanguage.googleapis.com/v1beta"],
])(
  "%s is where %j says, as for the vendor's programs [AGT-20.variables]",
  (model, env, expected) => {
    expect(addressOf(choose(model), { id: "a" }, env)).toBe(expected);
    const provider = model.split("/")[0] ?? "";
    const configured = choose(model, { [provider]: { baseUrl: "http://127.0.0.1:1/v1" } });
    expect(addressOf(configured, { id: "a" }, env)).toBe("http://127.0.0.1:1/v1");
  },
);

test("an address that is none is refused before a key is sent anywhere [AGT-20.keys]", () => {
  const env = { ANTHROPIC_BASE_URL: "gw.example.com", ANTHROPIC_API_KEY: "k" };
  expect(() => addressOf(choose("anthropic/x"), { id: "a" }, env)).toThrow(
    "ANTHROPIC_BASE_URL is not an address that begins with https:// or http://: gw.example.com",
  );
});

test("a key that is missing is told before anything starts, with the variable [AGT-14, LOOP-9.configuration]", async () => {
  const backend = createModelBackend(
    { host: createTestHost(), clock: systemClock },
    { name: "model", settings: undefined },
  );
  const spec = { id: "a", backend: "model", model: "google/x" };
  const session = { run: "run_a", spec, session: "a", cwd: "/", env: {} };
  await expect(backend.open(session)).rejects.toMatchObject({
    code: "BACKEND_MODEL_KEY_MISSING",
    message: expect.stringContaining("GEMINI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY"),
    hint: expect.stringContaining("backends.google.apiKeyEnv"),
  });
  const args = { ...spec, model: "ollama/x", settings: { args: ["--x"] } };
  expect(await backend.check(args)).toEqual([
    expect.objectContaining({ message: expect.stringContaining("mean nothing here") }),
  ]);
});
