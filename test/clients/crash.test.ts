import { existsSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProcessEntry } from "../../src/host/system/process-entry.ts";
import { createClientUser, eventsOf } from "./client-user.ts";
import { TOKENS } from "./model-server/model-request.ts";
import { scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

// Each starts a client twice, on machines that do much else.
const PATIENCE_MS = 180_000;
const GONE = { timeout: 60_000, interval: 50 };
const STARTED = "started";
const TOOL_VARIABLE = "CRASH_TOOL";
// Some clients refuse to run a plain `sleep`. What runs once more ends.
const TOOL = `${TOOL_VARIABLE}=yes '${process.execPath}' -e 'require("node:fs").writeFileSync("${STARTED}", ""); setTimeout(() => {}, 60000)'`;
const COMMAND = `if [ -e ${STARTED} ]; then echo tried again; else ${TOOL}; fi`;

const NOTING = scriptText({ text: "I keep it in mind\nDONE: noted" });
const WORKING = scriptText({ calls: [{ shell: COMMAND }] }, { text: "DONE: it said $RESULT" });

function workflowOf(backend: ClientName): string {
  // JSON is YAML.
  return JSON.stringify({
    version: "1.0",
    name: "killed",
    pattern: "pipeline",
    agents: [
      { id: "counter", backend: "command", command: "echo ran >> runs.txt" },
      { id: "worker", backend, session: "keep" },
    ],
    steps: [
      { id: "count", agent: "counter" },
      { id: "note", agent: "worker", prompt: `the number is 4711 ${NOTING}` },
      { id: "work", agent: "worker", prompt: `go on ${WORKING}` },
    ],
  });
}

const clients: readonly ClientName[] = ["claude", "codex", "gemini", "opencode"];

test.for(clients)(
  "killed in the middle of a tool of %s, a run leaves no process, and goes on with the same session [AGT-7.crash, AGT-15, ENG-2, ENG-6, P11]",
  { timeout: PATIENCE_MS },
  async (client, context) => {
    const files = { "w.yaml": workflowOf(client) };
    const user = await createClientUser(context, { clients: [client], files });
    const first = user.start("run", "w.yaml");
    await Promise.race([fileAppears(user.cwd, STARTED), endedEarly(first.ended)]);
    expect((await user.living()).some(isTool)).toBe(true);
    first.kill("SIGKILL");
    await expect.poll(user.living, GONE).toEqual([]);
    const askedBefore = user.asked(client).length;

    expect(await user.type("resume", "@last")).toMatchObject({ exitCode: 0, err: "" });
    expect(await user.living()).toEqual([]);
    const events = user.events();
    expect(eventsOf(events, "run-ended")).toMatchObject([{ outcome: "completed" }]);
    const ready = eventsOf(events, "agent-ready").filter(({ agent }) => agent === "worker");
    const [token] = ready.map(({ resume }) => resume);
    expect(ready.map(({ resume }) => resume)).toEqual([expect.any(String), token]);
    const told = JSON.stringify(user.asked(client)[askedBefore]?.entries);
    expect(told).toContain("the number is 4711");
    expect(told).toContain("I keep it in mind");
    // The call that was cut off, once more, and its result.
    expect(user.asked(client)).toHaveLength(askedBefore + 2);
    const [, , usage = {}] = eventsOf(events, "turn-completed").map((turn) => turn.usage);
    expect([undefined, 2 * TOKENS.input]).toContain(usage.inputTokens);
    expect(readFileSync(join(user.cwd, "runs.txt"), "utf8")).toBe("ran\n");
    const completed = eventsOf(events, "step-completed");
    expect(completed.map(({ step, output }) => [step, output])).toEqual([
      ["count", ""],
      ["note", "noted"],
      ["work", expect.stringContaining("tried again")],
    ]);
  },
);

/** What is approved: it leaves a line, and the first time it goes on until it is killed. */
const APPROVED = `echo ran >> ledger.txt; ${COMMAND}`;
const ASKING = scriptText({ calls: [{ shell: APPROVED }] }, { text: "DONE: it said $RESULT" });

function askingWorkflow(backend: ClientName): string {
  return JSON.stringify({
    version: "1.0",
    name: "asking",
    pattern: "pipeline",
    agents: [{ id: "worker", backend, session: "keep" }],
    steps: [{ id: "work", agent: "worker", prompt: `go on ${ASKING}` }],
  });
}

// Each is started four times: TROUPE_CASES=all tries all of them.
const asking = process.env["TROUPE_CASES"] === "all" ? clients : clients.slice(0, 2);

test.for(asking)(
  "a call of %s that waited when its run was suspended is not called rejected, runs once when it was approved meanwhile, and is asked again when it may have run [AGT-18.notice, AGT-18.used, AGT-18.again, AGT-18.waiting, P14]",
  { timeout: 2 * PATIENCE_MS },
  async (client, context) => {
    const files = { "w.yaml": askingWorkflow(client) };
    const user = await createClientUser(context, { clients: [client], files, allow: [] });
    const ledger = () => {
      const file = join(user.cwd, "ledger.txt");
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    };
    const requests = () => eventsOf(user.events(), "permission-requested");
    const told = (from: number) => JSON.stringify(user.asked(client)[from]?.entries);

    // Nobody is there: the run is suspended while its agent waits.
    expect(await user.type("run", "w.yaml")).toMatchObject({ exitCode: 3 });
    expect(ledger()).toBe("");
    const [first] = requests();
    expect(eventsOf(user.events(), "tool-returned")).toEqual([]);
    expect(await user.type("approve", first?.id ?? "")).toMatchObject({ exitCode: 0 });

    const askedBefore = user.asked(client).length;
    const second = user.start("resume", "@last");
    await Promise.race([fileAppears(user.cwd, STARTED), endedEarly(second.ended)]);
    expect(requests()).toHaveLength(1);
    expect(ledger()).toBe("ran\n");
    expect(told(askedBefore)).toMatch(
      /waited for permission and did not run.*approved; call it again/u,
    );
    expect(eventsOf(user.events(), "permission-used")).toMatchObject([
      { id: first?.id, attempt: 2 },
    ]);
    second.kill("SIGKILL");
    await expect.poll(user.living, GONE).toEqual([]);

    const askedAgain = user.asked(client).length;
    expect(await user.type("resume", "@last")).toMatchObject({ exitCode: 3 });
    expect(ledger()).toBe("ran\n");
    expect(told(askedAgain)).toMatch(/have no result. They may have run.*echo ran/u);
    const [, again] = requests();
    expect(again).toMatchObject({ repeats: { id: first?.id, outcome: "unknown" } });
    const inbox = await user.type("inbox", "--json");
    expect(inbox.out).toContain("allowed before the interruption; it may have run");

    expect(await user.type("approve", again?.id ?? "")).toMatchObject({ exitCode: 0 });
    expect(await user.type("resume", "@last")).toMatchObject({ exitCode: 0 });
    expect(ledger()).toBe("ran\nran\n");
    expect(requests()).toHaveLength(2);
    const decisions = eventsOf(user.events(), "permission-resolved").map((event) => event.decision);
    expect(decisions).toEqual(["allowed", "allowed"]);
    for (const { isError } of eventsOf(user.events(), "tool-returned")) expect(isError).toBe(false);
  },
);

function isTool(entry: ProcessEntry): boolean {
  return entry.variable(TOOL_VARIABLE) === "yes";
}

async function fileAppears(directory: string, name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (existsSync(join(directory, name))) resolve();
  };
  const watcher = watch(directory, look);
  look();
  await promise;
  watcher.close();
}

async function endedEarly(ended: Promise<unknown>): Promise<never> {
  throw new Error(`the run ended before its tool began: ${JSON.stringify(await ended)}`);
}
