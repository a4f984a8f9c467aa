import { expect, test } from "vitest";
import {
  builtInBackends,
  createBackend,
  plannedBackends,
} from "../../../src/agents/backends/registry.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { createTestHost } from "./test-host.ts";

const dependencies = {
  host: createTestHost(),
  clock: systemClock,
  functions: new Map(),
  importModule: async () => ({}),
};

test("every backend of the registry is made under its own name [AGT-1]", async () => {
  for (const { name } of builtInBackends) {
    expect((await createBackend(name, dependencies)).name).toBe(name);
    expect(plannedBackends).not.toContain(name);
  }
});

test("a backend that does not exist is told with the name that may be meant", async () => {
  await expect(createBackend("comand", dependencies)).rejects.toThrow(
    expect.objectContaining({
      code: "BACKEND_UNKNOWN",
      hint: expect.stringContaining('did you mean "command"?'),
    }),
  );
});
