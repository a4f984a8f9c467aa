import { expect, test } from "vitest";
import { createProject, troupe } from "./troupe-process.ts";

test("the demo ends well, without a terminal, a key or a network [CLI-1, AGT-4]", async () => {
  const cwd = createProject();
  const { exitCode, out, err } = await troupe(cwd, ["demo"], {
    // A proxy that nobody answers at: whatever reached for the network would fail.
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    ANTHROPIC_API_KEY: "",
    OPENAI_API_KEY: "",
  });
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toContain("✔ done in");
});
