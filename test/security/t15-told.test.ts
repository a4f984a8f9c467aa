import { readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createVictim, eventsOf, type Victim } from "./victim.ts";

const BIN = join(import.meta.dirname, "../../bin/troupe.js");
const LIBRARY = join(import.meta.dirname, "../../src/index.ts");

/** What a program of a run says: `troupe` keeps its environment, `orphan` has lost it and all its ancestors. */
function script({ env }: Victim, lines: string): string {
  const exported = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const clean = ["env", "-i", `PATH=${process.env["PATH"] ?? ""}`, ...exported].join(" ");
  return `troupe() { env ${exported.join(" ")} ${process.execPath} ${BIN} "$@" 2>&1; }
orphan() { rm -f gone; (${clean} setsid sh -c 'sleep 0.1; "$@"; touch gone' x ${process.execPath} ${BIN} "$@" >/dev/null 2>&1 &)
  until test -e gone; do sleep 0.05; done; }
${lines}
exit 0
`;
}

const refusalsIn = (ended: Parameters<typeof eventsOf>[0]) =>
  eventsOf(ended)
    .filter(({ type }) => type === "requests-refused")
    .map(({ agent, code, command, count, door }) => [door, agent, command, code, count]);

const CONTROL = "USAGE_CONTROL_BY_AGENT";
const DECISION = "USAGE_DECISION_BY_AGENT";

test("what an agent is refused because it is a person's is told in its run, with the agent and the command [SEC-3.below, T15]", async () => {
  const calls = `import { createMachine } from "${LIBRARY}";
await createMachine({ trustsProject: true }).catch(() => {});
`;
  const victim = createVictim({ "calls.mts": calls });
  const said = script(
    victim,
    `troupe trust --yes; troupe trust --yes; troupe approve apr_none; orphan trust --yes
env ${Object.entries(victim.env)
      .map(([name, value]) => `${name}=${value}`)
      .join(" ")} ${process.execPath} calls.mts`,
  );
  const { project } = victim;

  writeFileSync(join(project, "agent.sh"), said);
  const ended = await victim.troupe("run", "--agent", "command", "--json", "--", "sh", "agent.sh");
  expect(ended.exitCode).toBe(0);
  const refusals = refusalsIn(ended);
  const [agent] = refusals[0]?.slice(1) ?? [];
  expect(agent).toEqual(expect.stringMatching(/^[a-z]/));
  expect(refusals.toSorted()).toEqual(
    [
      ["calls", agent, "troupe trust", CONTROL, 1],
      ["calls", agent, "troupe approve", DECISION, 1],
      ["calls", undefined, "troupe trust", CONTROL, 1],
      ["calls", agent, "trustsProject", CONTROL, 1],
      // The second one, told at the end.
      ["calls", agent, "troupe trust", CONTROL, 1],
    ].toSorted(),
  );
  const shown = await victim.troupe("show", "@last");
  expect(shown.out).toContain(`5 requests were refused: 4 ${CONTROL}, 1 ${DECISION}`);
});

/** Sends lines to the owner of the run that goes on; resolves with what it answers. */
function tell(path: string, lines: readonly unknown[]): Promise<readonly { ok: boolean }[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let text = "";
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      text += chunk;
      if (text.split("\n").length <= lines.length) return;
      socket.destroy();
      resolve(
        text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line)),
      );
    });
    for (const line of lines) socket.write(`${JSON.stringify(line)}\n`);
  });
}

test("whoever speaks to the owner can have refusals counted and nothing else, however many and whatever they say [T15, P10]", async () => {
  const victim = createVictim({
    "wait.yaml": `id: wait
steps: [ { id: held, type: shell, command: "touch begun; until test -e enough; do sleep 0.05; done" } ]
`,
  });
  const run = victim.start("run", "wait.yaml", "x", "--json");
  await run.seen(/"type":"step-started"/);
  const [id = ""] = readdirSync(join(victim.project, ".troupe/runs")).filter((name) =>
    name.startsWith("run_"),
  );
  const sockets = join(victim.env["XDG_RUNTIME_DIR"] ?? "", "troupe");
  const [name = ""] = readdirSync(sockets).filter((each) => each.endsWith(".sock"));
  const note = (refused: object) => ({ v: 1, id: 1, run: id, refused });
  const flood = Array.from({ length: 2000 }, (_, index) =>
    note({ code: CONTROL, command: `troupe call${index}` }),
  );
  const hostile = [
    note({ code: CONTROL, command: "troupe \u001b[2J" }),
    note({ code: CONTROL, command: "x".repeat(81) }),
    note({ code: "RUN_OVER", command: "troupe trust" }),
    note({ code: CONTROL, command: "troupe trust", agent: "a\nb" }),
    { ...note({ code: CONTROL, command: "troupe trust" }), run: "run_other1" },
    { ...note({ code: CONTROL, command: "troupe trust" }), command: { kind: "pause" } },
    // Of a program that this owner has not started: answered, not counted.
    note({ code: CONTROL, command: "troupe trust", family: "5400000000000001" }),
  ];
  const answers = await tell(join(sockets, name), [...flood, ...hostile]);
  expect(answers.filter(({ ok }) => ok)).toHaveLength(2001);

  writeFileSync(join(victim.project, "enough"), "");
  const ended = await run.ended;
  expect(ended.exitCode).toBe(0);
  const refusals = refusalsIn(ended);
  const counted = refusals.filter(([door]) => door === "calls").map(([, , , , count]) => count);
  expect(counted.reduce((sum: number, each) => sum + Number(each), 0)).toBe(2000);
  expect(refusals.length).toBeLessThanOrEqual(64 + 4);
  expect(JSON.stringify(refusals)).not.toContain("2J");
});
