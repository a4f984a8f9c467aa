import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commandRun } from "../../../../src/app/run/commands/command-run.ts";
import { createOwnerLines } from "../../../../src/app/run/commands/owner-lines.ts";
import type { RunCommand } from "../../../../src/contracts/events/run-events.ts";
import type { LeaseClaim, RunStore } from "../../../../src/contracts/ports/store.ts";
import { type ControlServer, startControlServer } from "../../../../src/control/server.ts";
import { TroupeError } from "../../../../src/foundation/errors.ts";
import { claim, RULES } from "../../../../src/testing/journal-case.ts";
import { createManualClock } from "../../../../src/testing/manual-clock.ts";
import { createFileMachine, recordedRun, writeRun } from "../../file-machine.ts";

test("a command to a run that is named by its whole id looks at its journal for its owner, and at nothing else [ENG-19]", async () => {
  const machine = createFileMachine();
  for (const run of ["run_aaaaaa", "run_bbbbbb"]) await writeRun(machine, recordedRun(run, 20));
  const path = join(machine.root, "owner.sock");
  const journal = machine.store.open("run_aaaaaa", "write");
  journal.takeLease(claim({ socketPath: path }), RULES);
  journal.close();
  const taken: RunCommand[] = [];
  const server = await startControlServer({ path, run: "run_aaaaaa" }, async ({ command }) => {
    taken.push(command);
    return "taken";
  });
  onTestFinished(() => server.close());
  const looks: string[] = [];
  const store: RunStore = {
    ...machine.store,
    open: (run, mode) => {
      looks.push(`${mode} ${run}`);
      return machine.store.open(run, mode);
    },
    list: () => {
      looks.push("list");
      return machine.store.list();
    },
  };
  const watched = { ...machine, store, isGone: () => false };
  const command: RunCommand = { kind: "send", text: "what was found", key: "one" };
  expect(await commandRun(watched, "run_aaaaaa", { command })).toEqual({
    status: "done",
    run: "run_aaaaaa",
    result: "taken",
  });
  expect(taken).toEqual([command]);
  expect(looks).toEqual(["read run_aaaaaa", "read run_aaaaaa"]);
});

test("nothing can be cut off in a run that nobody carries out, and nothing is recorded for later [CHAT-2]", async () => {
  const machine = createFileMachine();
  const recorded = recordedRun("run_aaaaaa", 20);
  await writeRun(machine, recorded);
  const codeOf = (agent: string) =>
    commandRun(machine, "run_aaaaaa", { command: { kind: "interrupt", agent } }).then(
      () => "taken",
      (error: unknown) => (error instanceof TroupeError ? error.code : error),
    );
  const [agent = ""] = recorded.events.flatMap((event) =>
    event.type === "agent-spawned" ? [event.agent] : [],
  );
  expect([await codeOf(agent), await codeOf("nobody")]).toEqual([
    "RUN_NOT_RUNNING",
    "AGENT_UNKNOWN",
  ]);
});

const run = "run_aaaaaa";
const say = (key: string): RunCommand => ({ kind: "send", text: "what was found", key });

interface Owning {
  readonly socket?: string;
  /** Who the lease says that it is; a process of another machine if not given. */
  readonly holder?: Partial<LeaseClaim>;
  take?(key: string): Promise<void>;
}

/** A run whose owner takes everything, a machine whose looks into journals are counted, and lines that are kept. */
async function ownedRun() {
  const machine = createFileMachine();
  await writeRun(machine, recordedRun(run, 20));
  const taken: string[] = [];
  let looks = 0;
  const store: RunStore = {
    ...machine.store,
    open: (of, mode) => {
      looks += 1;
      return machine.store.open(of, mode);
    },
  };
  const journal = () => machine.store.open(run, "write");
  const own = async (name: string, { socket = "owner.sock", take, holder }: Owning = {}) => {
    const path = join(machine.root, socket);
    const opened = journal();
    opened.takeLease(claim({ socketPath: path, ...holder }), { ...RULES, isGone: () => true });
    opened.close();
    const server = await startControlServer({ path, run }, async ({ command }) => {
      const key = command.kind === "send" ? command.key : command.kind;
      taken.push(`${name} ${key}`);
      await take?.(key);
      return name;
    });
    onTestFinished(() => server.close());
    return server;
  };
  const leave = async (server: ControlServer) => {
    await server.close();
    const opened = journal();
    opened.releaseLease(opened.leaseHolder()?.epoch ?? 0);
    opened.close();
  };
  const lines = createOwnerLines(machine.clock);
  onTestFinished(() => lines.close());
  const watched = { ...machine, store, isGone: () => false };
  return { machine: watched, lines, own, leave, taken, looks: () => looks };
}

test("an owner that hangs up while it dies is waited for, and the message is recorded [ENG-19]", async () => {
  const { machine, own } = await ownedRun();
  // Of this machine, and gone: nobody has to wait until the lease of such an owner lapses.
  const { bootId, host } = machine.identity;
  const holder = { pid: 4_194_303, pidStartedAt: "1", bootId, host };
  await (await own("first", { holder })).close();
  let looksSince = 0;
  let hungUp = false;
  const dying = createServer((socket) =>
    socket.on("data", () => {
      hungUp = true;
      socket.destroy();
      dying.close();
    }),
  );
  await new Promise<void>((resolve) =>
    dying.listen(join(machine.root, "owner.sock"), () => resolve()),
  );
  // Its end is seen at the third look only, as that of a process that is about to be reaped.
  const isGone = () => {
    if (hungUp) looksSince += 1;
    return looksSince > 2;
  };
  expect(await commandRun({ ...machine, isGone }, run, { command: say("one") })).toEqual({
    status: "recorded",
    run,
    root: run,
  });
  expect(hungUp).toBe(true);
});

test("a message after another goes over the same line, without a look into the journal", async () => {
  const { machine, lines, own, taken, looks } = await ownedRun();
  await own("first");
  await commandRun(machine, run, { command: say("one"), lines });
  const before = looks();
  for (const key of ["two", "three"])
    expect(await commandRun(machine, run, { command: say(key), lines })).toMatchObject({
      status: "done",
      result: "first",
    });
  expect(looks()).toBe(before);
  expect(taken).toEqual(["first one", "first two", "first three"]);
});

test("messages that are sent side by side share what is kept, and each is taken once", async () => {
  const { machine, lines, own, taken } = await ownedRun();
  await own("first");
  const keys = Array.from({ length: 16 }, (_, index) => `${index}`);
  await Promise.all(keys.map((key) => commandRun(machine, run, { command: say(key), lines })));
  expect(taken.toSorted()).toEqual(keys.map((key) => `first ${key}`).toSorted());
});

test("what is no message looks for the owner again, though a line is kept", async () => {
  const { machine, lines, own, looks } = await ownedRun();
  await own("first");
  await commandRun(machine, run, { command: say("one"), lines });
  const before = looks();
  await commandRun(machine, run, { command: { kind: "pause" }, lines });
  expect(looks()).toBeGreaterThan(before);
});

test("when the run changes hands, the next message goes to whoever has it then", async () => {
  const { machine, lines, own, leave, taken } = await ownedRun();
  const first = await own("first");
  await commandRun(machine, run, { command: say("one"), lines });
  await leave(first);
  const second = await own("second");
  expect(await commandRun(machine, run, { command: say("two"), lines })).toMatchObject({
    result: "second",
  });
  await leave(second);
  expect(await commandRun(machine, run, { command: say("three"), lines })).toMatchObject({
    status: "recorded",
  });
  expect(taken).toEqual(["first one", "second two"]);
});

test("an owner that froze and lost its run does not keep messages that come over its line", async () => {
  const { machine, own, taken } = await ownedRun();
  const clock = createManualClock();
  const lines = createOwnerLines(clock);
  onTestFinished(() => lines.close());
  const isFrozen = Promise.withResolvers<void>();
  await own("first", {
    take: (key) => (key === "one" ? Promise.resolve() : freeze(isFrozen)),
  });
  await commandRun(machine, run, { command: say("one"), lines });
  await own("second", { socket: "second.sock" });
  const sent = commandRun(machine, run, { command: say("two"), lines });
  await isFrozen.promise;
  await clock.advance(2000);
  expect(await sent).toMatchObject({ result: "second" });
  expect(taken).toEqual(["first one", "first two", "second two"]);
});

/** Tells that it has begun, and ends with the test. */
function freeze(begun: { readonly resolve: () => void }): Promise<void> {
  const thawed = Promise.withResolvers<void>();
  onTestFinished(() => thawed.resolve());
  begun.resolve();
  return thawed.promise;
}
