// Messages to a run that another process owns, as a program sends them that sends several, until each is durable: ms.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMachineAt } from "../../../../src/app/machine/machine.ts";
import { commandRun } from "../../../../src/app/run/commands/command-run.ts";
import { createOwnerLines } from "../../../../src/app/run/commands/owner-lines.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { present } from "../../../../src/foundation/present.ts";
import { withFolder } from "../../figure.ts";
import { latencyArguments, printLatency } from "../../latency.ts";

const WORKFLOW = `version: "1.0"
name: waits
pattern: dag
agents: [{ id: busy, backend: script, script: [{ hang: true }] }]
steps: [{ id: only, agent: busy, prompt: go }]
`;

await withFolder(async (folder) => {
  writeFileSync(join(folder, "waits.yaml"), WORKFLOW);
  const directory = join(folder, ".troupe");
  const bin = join(process.env["TROUPE_BENCH_PACKAGE"] ?? "", "bin/troupe.js");
  const owner = spawn(process.execPath, [bin, "run", "waits.yaml", "--json"], {
    cwd: folder,
    env: { ...process.env, TROUPE_DIR: directory },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await untilTurnStarted(owner.stdout);
  const env = { ...process.env, TROUPE_DIR: directory };
  const machine = createMachineAt({ cwd: folder, env });
  const [run = ""] = machine.store.list();
  const wanted = latencyArguments();
  const lines = Array.from({ length: wanted.clients + 1 }, () => createOwnerLines(systemClock));
  await printLatency(wanted, (client, message) => {
    const command = { kind: "send", text: "what was found", key: `${client}/${message}` } as const;
    return commandRun(machine, run, { command, ...present({ lines: lines[client] }) });
  });
  for (const kept of lines) kept.close();
  const ended = once(owner, "exit");
  owner.kill();
  await ended;
});

/** Reads on after that, so that the owner's output never waits for us, and looks at nothing of it. */
function untilTurnStarted(output: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve) => {
    let text = "";
    const look = (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('"turn-started"')) return;
      output.off("data", look);
      output.resume();
      resolve();
    };
    output.on("data", look);
  });
}
