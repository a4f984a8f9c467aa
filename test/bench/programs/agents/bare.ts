// The same turn by the client itself, in its one-shot mode.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { ANSWER, measureTurn, PROMPT } from "../../agent-bench.ts";
import { bareClients } from "../../bare-clients.ts";

await measureTurn(async (bench) => {
  const { args, env } = bareClients[bench.fixture.client](bench);
  const [program, ...first] = bench.program;
  const child = spawn(program, [...first, ...args], {
    cwd: bench.cwd,
    env: { ...bench.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(PROMPT);
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString();
    if (out.includes(ANSWER.slice(0, 3))) bench.heard();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString();
  });
  const [code] = await once(child, "close");
  if (code !== 0 || !out.includes(ANSWER)) throw new Error(`exit ${code}: ${out}${err}`);
});
