import { systemClock } from "../../src/foundation/clock.ts";
import { createHost } from "../../src/host/host.ts";
import { endLeftovers } from "../../src/host/leftovers.ts";

// One owner of a trial: runs the command of its second argument until what the first one says.
const [, , mode = "", command = ""] = process.argv;
if (mode === "sweep") {
  await endLeftovers();
} else {
  const host = createHost({ run: "run_trial", clock: systemClock, env: process.env, graceMs: 200 });
  const stop = new AbortController();
  const onOutput = () => {
    process.stdout.write("started\n");
    if (mode === "cancel") stop.abort(new Error("cancelled"));
  };
  const timeoutMs = mode === "time-out" ? { timeoutMs: 150 } : {};
  const request = { command, cwd: "/", env: host.baseEnv({}), onOutput, ...timeoutMs };
  await host.run(request, stop.signal).catch((error: unknown) => {
    if (mode !== "cancel") throw error;
  });
  await host.close();
}
