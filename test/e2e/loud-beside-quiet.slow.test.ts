import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createUser } from "./daemon-user.ts";

const PRINT = "yes abcdefghijklmnopqrstuvwxyz | head -c";

/** Prints until the quiet team was heard, and 1.5 GB at least. */
const LOUD = `version: "1.0"
name: loud
pattern: pipeline
agents:
  - { id: loud, backend: command, command: "${PRINT} 1500000000; until test -e heard; do ${PRINT} 50000000; done" }
steps:
  - { id: print, agent: loud, prompt: go }
`;

const QUIET = `
context:
agents:
  quiet: { backend: script, script: [ { say: "still here" } ] }
`;

test.runIf(process.platform === "linux")(
  "an agent that prints 1.5 GB in the daemon harms no team beside it [AGT-6]",
  async () => {
    const user = createUser();
    writeFileSync(join(user.cwd, "loud.yaml"), LOUD);
    writeFileSync(join(user.cwd, "quiet.yaml"), QUIET);
    const started = await user.type("start", "quiet.yaml", "--background", "--json");
    expect(started).toMatchObject({ exitCode: 0, err: "" });
    await user.type("ask", "@quiet", "there?");
    const daemon = await user.daemonPid();
    const peakMiB = () => {
      const status = readFileSync(`/proc/${daemon}/status`, "utf8");
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
    };
    const beforeMiB = peakMiB();
    const loud = user.start("run", "loud.yaml", "--detach", "--json");
    const { run } = JSON.parse((await loud.ended).out);
    for (let count = 0; count < 3; count += 1)
      expect(await user.type("ask", "@quiet", "there?")).toMatchObject({
        exitCode: 0,
        out: "still here\n",
      });
    writeFileSync(join(user.cwd, "heard"), "");
    expect((await user.type("attach", run)).exitCode).toBe(0);
    expect(JSON.parse((await user.type("show", run, "--json")).out)).toMatchObject({
      run: { state: "completed" },
    });
    expect(peakMiB() - beforeMiB).toBeLessThan(64);
    expect(await user.daemonPid()).toBe(daemon);
    const { out } = await user.type("daemon", "status");
    expect(out).toContain("quiet@default  running");
  },
  120_000,
);
