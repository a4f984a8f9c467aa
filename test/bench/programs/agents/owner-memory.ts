// Memory of `troupe run` itself while so many agents of a command line take a turn at once, in MB.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { memoryMbOf } from "../../family-memory.ts";
import { countArgument, printFigure } from "../../figure.ts";

const LOOK_EVERY_MS = 50;
const LONGEST_START_MS = 60_000;

// Speaks as much of Claude Code's protocol as a turn takes that never ends.
const SCRIPTED = `#!/bin/sh
while read -r line; do
  case "$line" in
  *initialize*) echo '{"type":"control_response","response":{"subtype":"success","request_id":"initialize"}}' ;;
  *) : > "$STARTED/$$" ;;
  esac
done
`;

const count = countArgument(1);
const root = mkdtempSync(join(tmpdir(), "troupe-bench-"));
const [project, started, program] = [
  join(root, "project"),
  join(root, "started"),
  join(root, "claude"),
];
for (const path of [join(project, ".troupe"), started]) mkdirSync(path, { recursive: true });
writeFileSync(program, SCRIPTED, { mode: 0o755 });
const config = {
  backends: { claude: { command: program, env: { STARTED: started } } },
  limits: { maxAgents: count, hostConcurrency: count, accountConcurrency: count },
};
writeFileSync(join(root, "config.yaml"), JSON.stringify(config));
const agents = Array.from({ length: count }, (_, index) => `agent-${index}`);
const workflow = {
  version: "1.0",
  name: "many",
  pattern: "dag",
  agents: agents.map((id) => ({ id, cli: "claude" })),
  steps: agents.map((agent) => ({ id: `of-${agent}`, agent, prompt: "go" })),
};
writeFileSync(join(project, "many.yaml"), JSON.stringify(workflow));
const bin = join(process.env["TROUPE_BENCH_PACKAGE"] ?? "", "bin/troupe.js");
const child = spawn(process.execPath, [bin, "run", "many.yaml"], {
  cwd: project,
  env: { ...process.env, TROUPE_HOME: root, HOME: root, ANTHROPIC_API_KEY: "a-key-of-nobody" },
  stdio: ["ignore", "ignore", "inherit"],
});
const ended = once(child, "exit");
const deadline = AbortSignal.timeout(LONGEST_START_MS);
while (readdirSync(started).length < count && child.exitCode === null && !deadline.aborted)
  await wait(LOOK_EVERY_MS);
const running = readdirSync(started).length;
const memoryMb = memoryMbOf(child.pid ?? 0);
child.kill("SIGTERM");
await ended;
rmSync(root, { recursive: true, force: true, maxRetries: 5 });
if (running < count) throw new Error(`${running} of ${count} agents were at work`);
printFigure(memoryMb);
