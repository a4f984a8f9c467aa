import { expect, test } from "vitest";
import { type ClientUser, createClientUser, eventsOf } from "./client-user.ts";
import { scriptText } from "./model-server/script.ts";
import type { ClientName } from "./pinned-clients.ts";

// Half a minute by itself; some machines do much else.
const PATIENCE_MS = 240_000;
const clients = ["claude", "codex", "gemini", "opencode"] as const satisfies readonly ClientName[];

/** An agent that says one line, whatever it is asked. */
function saying(cli: ClientName, text: string, more: object = {}) {
  return { id: cli, cli, task: scriptText({ text }), ...more };
}

test("four clients, a command and a person vote, and more than half of them decide [PAT-consensus]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const vote = { claude: "approve", codex: "reject", gemini: "approve", opencode: "reject" };
  const user = await createClientUser(context, {
    clients,
    files: workflow({
      pattern: "consensus",
      agents: [
        ...clients.map((cli) => saying(cli, `I looked at it.\nVOTE: ${vote[cli]} says ${cli}`)),
        { id: "size", backend: "command", command: "echo 'VOTE: approve it is small'" },
        { id: "ann", backend: "human" },
      ],
    }),
  });
  const run = user.start("run", "w.yaml", "Use tabs");
  await expect.poll(() => askedOf(user).length, { timeout: PATIENCE_MS }).toBe(1);
  const answered = await user.type("answer", askedOf(user)[0] ?? "", "VOTE: approve I like them");
  expect(answered).toMatchObject({ exitCode: 0 });
  expect(await run.ended).toMatchObject({ exitCode: 0 });
  expect(resultOf(user)).toMatchObject({
    decision: "approved",
    tally: { approve: 4, reject: 2, cast: 6 },
    missing: [],
  });
});

test("a task goes from a command through four clients, each of which hears what was answered before [PAT-handoff]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const next = { claude: "codex", codex: "gemini", gemini: "opencode" } as const;
  const says = (cli: ClientName) =>
    cli === "opencode" ? "DONE: it is mended" : `HANDOFF: ${next[cli]} found by ${cli}`;
  const user = await createClientUser(context, {
    clients,
    files: workflow({
      pattern: "handoff",
      agents: [
        { id: "desk", backend: "command", command: "echo 'HANDOFF: claude look at this'" },
        ...clients.map((cli) => saying(cli, says(cli))),
      ],
    }),
  });
  expect(await user.type("run", "w.yaml", "The page is wrong")).toMatchObject({ exitCode: 0 });
  expect(resultOf(user)).toMatchObject({
    path: ["desk", ...clients],
    finishedBy: "opencode",
    loops: [],
  });
  for (const [cli, receiver] of Object.entries(next))
    expect(JSON.stringify(user.asked(receiver))).toContain(`found by ${cli}`);
});

test("three clients and a command argue, and a fourth that has heard all of them decides [PAT-debate]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const user = await createClientUser(context, {
    clients,
    files: workflow({
      pattern: "debate",
      agents: [
        ...clients.slice(1).map((cli) => saying(cli, `ARGUMENT: ${cli} is for it`)),
        { id: "cost", backend: "command", command: "echo 'ARGUMENT: it costs 3 days'" },
        saying("claude", "VERDICT: we do it\nDONE: three are for it", { role: "judge" }),
      ],
      debate: { topic: "Do we move to one repository?", maxRounds: 2 },
    }),
  });
  expect(await user.type("run", "w.yaml")).toMatchObject({ exitCode: 0 });
  expect(resultOf(user)).toMatchObject({ verdict: "we do it" });
  const heard = JSON.stringify(user.asked("claude"));
  for (const cli of clients.slice(1)) expect(heard).toContain(`${cli} is for it`);
  expect(heard).toContain("it costs 3 days");
  expect(JSON.stringify(user.asked("codex"))).toContain("it costs 3 days");
});

test("a hub that is a command hears what four clients and a command have done, and ends the run [PAT-hub-spoke]", {
  timeout: PATIENCE_MS,
}, async (context) => {
  const words = [...clients.map((cli) => `part of ${cli}`), "3 files"];
  const all = words.map((word) => `grep -q '${word}' heard`).join(" && ");
  const hear = 'cat "$TROUPE_TASK_FILE" $TROUPE_MESSAGES_FILE >> heard';
  const user = await createClientUser(context, {
    clients,
    files: workflow({
      pattern: "hub-spoke",
      agents: [
        {
          id: "lead",
          role: "lead",
          backend: "command",
          command: `${hear}; if ${all}; then echo 'DONE: all is there'; else echo 'I wait.'; fi`,
        },
        ...clients.map((cli) => saying(cli, `DONE: part of ${cli}`)),
        { id: "size", backend: "command", command: "echo 'DONE: 3 files'" },
      ],
    }),
  });
  expect(await user.type("run", "w.yaml", "Build it")).toMatchObject({ exitCode: 0 });
  expect(resultOf(user)).toMatchObject({
    hub: "lead",
    workers: [
      ...clients.map((agent) => ({ agent, status: "done", summary: `part of ${agent}` })),
      { agent: "size", status: "done", summary: "3 files" },
    ],
    unfinished: [],
  });
});

test.for(clients)(
  "%s as hub hears what its workers have done, and ends the run [PAT-hub-spoke]",
  {
    timeout: PATIENCE_MS,
  },
  async (cli, context) => {
    // What the worker reports also says what the model of the hub answers to it.
    const report = `3 files ${scriptText({ text: "DONE: all is there" })}`;
    const user = await createClientUser(context, {
      clients: [cli],
      files: workflow({
        pattern: "hub-spoke",
        agents: [
          { id: "lead", role: "hub", cli, task: scriptText({ text: "I wait." }) },
          { id: "size", backend: "command", command: ["echo", `DONE: ${report}`] },
        ],
      }),
    });
    const ended = await user.type("run", "w.yaml", "Count the files");
    expect(ended, JSON.stringify(ended)).toMatchObject({ exitCode: 0 });
    expect(resultOf(user)).toMatchObject({
      hub: "lead",
      workers: [{ agent: "size", status: "done", summary: report }],
      unfinished: [],
    });
    expect(eventsOf(user.events(), "run-ended")).toMatchObject([
      { outcome: "completed", result: { output: "all is there" } },
    ]);
    expect(JSON.stringify(user.asked(cli))).toContain("3 files");
  },
);

function workflow(content: object): { readonly [path: string]: string } {
  // JSON is YAML.
  return { "w.yaml": JSON.stringify({ version: "1.0", name: "w", ...content }) };
}

/** Ids of what people were asked. */
function askedOf(user: ClientUser): readonly string[] {
  return eventsOf(user.events(), "question-asked").map(({ id }) => id);
}

/** What the pattern tells of how it went. */
function resultOf(user: ClientUser): unknown {
  const [ended] = eventsOf(user.events(), "run-ended");
  const result = ended?.result;
  return typeof result === "object" && result !== null && "metadata" in result
    ? result["metadata"]
    : undefined;
}
