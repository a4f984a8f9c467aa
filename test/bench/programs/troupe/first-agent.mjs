// From the start of `troupe run` to the first moment of its first agent: ms.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = mkdtempSync(join(process.cwd(), "first-agent-"));
writeFileSync(
  join(folder, "one.yaml"),
  `version: "1.0"
name: one
pattern: dag
agents: [{ id: first, backend: command, command: ["sh", "-c", ": > started"] }]
steps: [{ id: only, agent: first, prompt: go }]
`,
);
const bin = join(process.env.TROUPE_BENCH_PACKAGE, "bin/troupe.js");
const started = new Promise((resolve) => {
  watch(folder, { persistent: false }, (_, name) => name === "started" && resolve(true));
});
const startedMs = performance.now();
const child = spawn(process.execPath, [bin, "run", "one.yaml"], {
  cwd: folder,
  env: { ...process.env, TROUPE_DIR: join(folder, ".troupe") },
  stdio: ["ignore", "ignore", "inherit"],
});
const ended = new Promise((resolve) => child.on("exit", resolve));
const isStarted = await Promise.race([started, ended.then(() => false)]);
const durationMs = performance.now() - startedMs;
await ended;
rmSync(folder, { recursive: true });
if (!isStarted) {
  console.error("Error: the run ended before its agent began");
  process.exit(1);
}
console.log(JSON.stringify({ figure: durationMs }));
