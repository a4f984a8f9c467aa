import { expect, test } from "vitest";
import { agentExited, commandFailed } from "../../../src/agents/backends/parts/errors.ts";

test.each([
  [{ signal: "SIGSEGV" }, "was ended by SIGSEGV"],
  // As a shell or the first process of a sandbox passes it on.
  [{ exitCode: 139 }, "was ended by SIGSEGV (exit 139)"],
  [{ exitCode: 134 }, "was ended by SIGABRT (exit 134)"],
  [{ exitCode: 137 }, "was ended by SIGKILL (exit 137)"],
  [{ exitCode: 1 }, "exited with 1"],
  [{ exitCode: 128 }, "exited with 128"],
  [{}, "exited with no exit code"],
])("a program that ended by %j is told as such", (end, told) => {
  const details = { agent: "one", run: "run_1", stderr: "", ...end };
  expect(commandFailed(details).message).toContain(told);
  expect(agentExited(details).message).toContain(told);
});
