import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import type { AgentFunctionInput } from "troupe";

/** What one run of the tests came to. */
export interface TestRun {
  readonly place: string;
  readonly passed: { readonly [test: string]: boolean };
}

const RESULT = /^\s*(?<verdict>ok|not ok) \d+ - (?<name>.*?)(?: # (?:SKIP|TODO).*)?$/;

/** Runs `node --test` on what the prompt names; tests that fail are a result, no tests at all is an error. */
export async function runTests(input: AgentFunctionInput): Promise<TestRun> {
  const { prompt, cwd, env, signal, step = "" } = input;
  const argv = ["--test", "--test-reporter=tap", "--", prompt];
  const child = spawn(process.execPath, argv, {
    cwd,
    env,
    signal,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const failed = new Promise<never>((_resolve, reject) => child.once("error", reject));
  const [out, problems] = await Promise.race([
    Promise.all([text(child.stdout), text(child.stderr)]),
    failed,
  ]);
  const passed: { [test: string]: boolean } = {};
  for (const line of out.split("\n")) {
    const { verdict, name } = RESULT.exec(line)?.groups ?? {};
    if (name !== undefined) passed[name] = (passed[name] ?? true) && verdict === "ok";
  }
  if (Object.keys(passed).length === 0)
    throw new Error(`no test ran for "${prompt}": ${problems.trim().slice(-500)}`);
  return { place: step, passed };
}
