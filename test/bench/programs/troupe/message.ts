// A message to a run that another process owns, over its control socket, until it is durable: ms.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendControl } from "../../../../src/control/client.ts";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { createSqliteStore } from "../../../../src/journal/sqlite-store.ts";
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
  const store = createSqliteStore(join(directory, "runs"));
  const [run = ""] = store.list();
  const journal = store.open(run, "read");
  const { socketPath = "" } = journal.leaseHolder() ?? {};
  journal.close();
  await printLatency(latencyArguments(), (client, message) => {
    const command = { kind: "send", text: "what was found", key: `${client}/${message}` } as const;
    return sendControl(socketPath, { run, by: "user", command }, systemClock);
  });
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
