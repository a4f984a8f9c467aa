import { expect, test } from "vitest";
import type { Context } from "../../src/contracts/ports/context.ts";
import { toIsoTime } from "../../src/foundation/iso-time.ts";
import { createCuttableStore } from "../../src/testing/journal-cuts.ts";
import { createManualClock, settle } from "../../src/testing/manual-clock.ts";
import { agent, playedBackend, runAgents, said } from "./agents-run.ts";

const TIMEOUT = { afterMs: 600_000, decision: "denied" } as const;

/** An agent that asks for one command and says what it was answered. */
function askingBackend() {
  return playedBackend(async function* ({ client }) {
    const { decision, comment = "" } = await client.requestPermission("Bash", { command: "ls" });
    yield said(`${decision}: ${comment}`);
  });
}

const program = async (context: Context) => {
  await context.spawn(agent("a"));
  return (await context.turn("a", "go")).text;
};

test("a permission request that nobody decides is denied in time, with a note to the agent [AGT-10]", async () => {
  const clock = createManualClock();
  const run = runAgents(program, {
    backend: askingBackend(),
    clock,
    permissionTimeout: TIMEOUT,
  });
  await settle();
  const expiresAt = toIsoTime(clock.now() + 600_000);
  expect(run.all("permission-requested")).toMatchObject([{ expiresAt }]);
  await clock.advance(599_999);
  expect(run.all("permission-resolved")).toEqual([]);
  await clock.advance(1);
  expect(await run.over()).toBe("denied: nobody decided within 10m00s");
  expect(run.all("permission-resolved")).toMatchObject([{ decision: "denied", by: "timeout" }]);
});

test("it may be configured to be allowed then, and a person who is in time decides [AGT-10]", async () => {
  const clock = createManualClock();
  const permissionTimeout = { afterMs: 1000, decision: "allowed" } as const;
  const late = runAgents(program, { backend: askingBackend(), clock, permissionTimeout });
  await settle();
  await clock.advance(1000);
  expect(await late.over()).toBe("allowed: nobody decided within 1s");
  const early = runAgents(program, { backend: askingBackend(), clock, permissionTimeout });
  await settle();
  const [id = ""] = early.owned.state.inbox.keys();
  const decision = { decision: "denied", comment: "use the tests" } as const;
  await early.owned.command({ kind: "resolve-permission", id, ...decision }, "user");
  await clock.advance(5000);
  expect(await early.over()).toBe("denied: use the tests");
  expect(early.all("permission-resolved")).toMatchObject([{ by: "user" }]);
});

test("what the policy decides needs no time-out [AGT-10]", async () => {
  const run = runAgents(
    async (context) => {
      await context.spawn(agent("a", { permissionMode: "bypass" }));
      return (await context.turn("a", "go")).text;
    },
    { backend: askingBackend(), permissionTimeout: TIMEOUT },
  );
  expect(await run.over()).toBe("allowed: ");
  expect(run.all("permission-requested")[0]).not.toHaveProperty("expiresAt");
});

test("killed while a request waits, it is denied at resume when its time was over meanwhile, else on time [AGT-10, ENG-2, P14]", async () => {
  const clock = createManualClock();
  const store = createCuttableStore();
  const options = { clock, permissionTimeout: TIMEOUT };
  const first = runAgents(program, { ...options, backend: askingBackend(), store });
  await settle();
  const [cut] = store.commits("run_agents").slice(-1);
  const kept = await store.cutAfter("run_agents", cut ?? 0);
  first.owned.interrupt(130);
  await first.owned.parted;

  await clock.advance(400_000);
  const again = await kept.cutAfter("run_agents", cut ?? 0);
  const second = runAgents(program, { ...options, backend: askingBackend(), store: kept });
  await settle();
  await clock.advance(199_999);
  expect(second.all("permission-resolved")).toEqual([]);
  await clock.advance(1);
  expect(await second.over()).toBe("denied: nobody decided within 10m00s");

  const third = runAgents(program, { ...options, backend: askingBackend(), store: again });
  expect(await third.over()).toBe("denied: nobody decided within 10m00s");
});
