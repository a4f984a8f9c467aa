import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { ASKING, ONE_STEP, PAUSING, QUESTION } from "./workflows.ts";

test("troupe alone on a terminal says how to begin, and starts nothing [CLI-1]", async () => {
  const cwd = createProject();
  const { exitCode, out } = await call(cwd, [], { isTerminal: true, columns: 80 });
  expect(exitCode).toBe(0);
  expect(out).toContain("troupe demo");
  expect(out).not.toContain("Needs you");
  expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(existsSync(join(cwd, ".troupe/runs"))).toBe(false);
});

test("troupe alone names every run that waits, with the command for it [CLI-1]", async () => {
  const cwd = createProject({
    "one.yaml": ONE_STEP,
    "pausing.yaml": PAUSING,
    "asking.yaml": ASKING,
    "question.yaml": QUESTION,
  });
  await call(cwd, ["run", "one.yaml", "x", "--cassette", "asking.yaml"]);
  await call(cwd, ["run", "one.yaml", "x", "--cassette", "question.yaml", "--instance", "two"]);
  await call(cwd, ["run", "pausing.yaml"]);
  const { out } = await call(cwd, [], { isTerminal: true, env: { NO_COLOR: "1" } });
  const [, waiting = ""] = out.split("Needs you:\n");
  const lines = waiting.trimEnd().split("\n").sort();
  expect(lines).toHaveLength(3);
  expect(lines.join("\n")).toMatch(/run_\w+ +one@default +troupe approve prm_\w+/);
  expect(lines.join("\n")).toMatch(/run_\w+ +one@two +troupe answer qst_\w+ "text"/);
  expect(lines.join("\n")).toMatch(/run_\w+ +pausing@default +troupe (approve apr|resume run)_\w+/);
});
