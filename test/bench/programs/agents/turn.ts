// One turn of a client as Troupe's backend carries it out, from `open`.
import { join } from "node:path";
import { systemClock } from "../../../../src/foundation/clock.ts";
import { createHost } from "../../../../src/host/host.ts";
import { createTurnRequest } from "../../../../src/testing/turn-request.ts";
import { ANSWER, measureTurn, PROMPT } from "../../agent-bench.ts";

await measureTurn(async ({ fixture, program, modelUrl, root, home, cwd, env, heard }) => {
  const run = "run_bench1";
  const host = createHost({ run, clock: systemClock, env, reaper: false });
  const backend = fixture.createBackend({ program, modelUrl, home, host, clock: systemClock });
  const spec = { id: "worker", backend: fixture.client, cwd, ...fixture.spec };
  const directory = join(root, "agent");
  const session = await backend.open({ run, session: "worker", cwd, directory, env, spec });
  let text = "";
  for await (const update of session.prompt(createTurnRequest({ prompt: PROMPT }))) {
    if (update.type === "text-delta") {
      heard();
      text += update.text;
    }
    if (update.type === "error") throw new Error(update.error.message);
  }
  if (!text.includes(ANSWER)) throw new Error(`the turn said: ${text}`);
  await session.close();
  await host.close();
});
