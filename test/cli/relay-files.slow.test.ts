import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";

const FLOW = `version: "1.0"
name: tides
swarm: { pattern: dag, maxConcurrency: 2, timeoutMs: 600000 }
agents:
  - { name: lead, cli: claude, role: Plans }
  - { name: worker, cli: codex, interactive: false, preset: worker }
workflows:
  - name: default
    onError: retry
    preflight:
      - { command: "ls bad 2>/dev/null || true", failIf: non-empty }
    steps:
      - { name: look, type: deterministic, command: "echo looked at {{place}}; echo more" }
      - name: plan
        agent: lead
        dependsOn: [look]
        task: "Plan {{task}} after {{steps.look.output | first-line}}. End with PLAN_COMPLETE"
        verification: { type: output_contains, value: PLAN_COMPLETE }
      - name: work
        agent: worker
        dependsOn: [plan]
        task: "{{steps.plan.output}}"
        verification: { type: exit_code, value: "0" }
      - { name: check, type: deterministic, dependsOn: [work], command: "echo failing; exit 2", failOnError: false }
      - { name: keep, type: deterministic, dependsOn: [check], command: "printf %s \\"{{steps.check.output}}\\" > kept.txt; cat kept.txt" }
coordination: { barriers: [{ name: done, waitFor: [work, check], timeoutMs: 60000 }] }
errorHandling: { strategy: retry, maxRetries: 1, retryDelayMs: 10 }
trajectories: { enabled: true }
`;
const CASSETTE = `version: 1
agents:
  lead:
    - { say: "not yet" }
    - { expect: "looked at the bay", say: "the plan\\nPLAN_COMPLETE it is" }
  worker:
    - { expect: "the plan", say: worked }
`;
const START = ["-i", "place=the bay", "--backend", "script", "--cassette", "talk.yaml"];

test("a file of relay runs as it is: commands, agents, checks, retries, barriers [ECO-8.relay, WF-9.relay]", async () => {
  const cwd = createProject({ "relay.yaml": FLOW, "talk.yaml": CASSETTE });
  const called = await call(cwd, ["run", "relay.yaml", "the sea", ...START]);
  expect(called).toMatchObject({ exitCode: 0 });
  expect(called.out).toContain("barrier");
  expect(called.out).toMatch(/result\s+failing/);
  expect(called.err).toContain("warning[WORKFLOW_IMPORTED]: this file was written for relay");
  expect(called.err).toContain("relay.yaml:3:1");
});

test("validate, plan and graph take it too; the plan runs no command [ECO-8.relay]", async () => {
  const cwd = createProject({ "relay.yaml": FLOW, "talk.yaml": CASSETTE });
  expect((await call(cwd, ["validate", "relay.yaml"])).exitCode).toBe(0);
  const plan = await call(cwd, ["plan", "relay.yaml", "the sea", ...START, "--json"]);
  const planned: { steps: { id: string; type: string | null; agent: string | null }[] } =
    JSON.parse(plan.out);
  expect(planned.steps.map(({ id, type, agent }) => [id, type ?? agent])).toEqual([
    ["preflight-1", "command"],
    ["look", "command"],
    ["plan", "lead"],
    ["work", "worker"],
    ["check", "command"],
    ["keep", "command"],
  ]);
  const graph = await call(cwd, ["graph", "relay.yaml"]);
  expect(graph.out).toMatch(/preflight-1 .*look .*plan .*work .*check/);
  expect((await call(cwd, ["report", "@last"])).exitCode).toBe(2);
});

test("a preflight that does not hold stops all else [WF-9.relay]", async () => {
  const cwd = createProject({ "relay.yaml": FLOW, "talk.yaml": CASSETTE, bad: "x" });
  const called = await call(cwd, ["run", "relay.yaml", "the sea", ...START]);
  expect(called.exitCode).toBe(1);
  expect(called.out).toContain("preflight-1");
  expect(called.out).not.toContain("looked");
});

test("what could do more than the file says is not run [WF-9.relay, ECO-8.relay]", async () => {
  const bounded = FLOW.replace("role: Plans", 'permissions: { exec: ["git diff"] }');
  const cwd = createProject({ "relay.yaml": bounded, "talk.yaml": CASSETTE });
  const called = await call(cwd, ["run", "relay.yaml", "the sea", ...START]);
  expect(called).toMatchObject({ exitCode: 2, out: "" });
  expect(called.err).toContain("error[WORKFLOW_IMPORT_REFUSED]: agents.lead.permissions.exec");
  expect(called.err).toContain("relay.yaml:5:");
});

test("a converted file is valid and runs the same [ECO-8.relay, WF-9.relay]", async () => {
  const cwd = createProject({ "relay.yaml": FLOW, "talk.yaml": CASSETTE });
  const converted = await call(cwd, ["convert", "relay.yaml", "--from", "relay", "-o", "new.yaml"]);
  expect(converted).toMatchObject({ exitCode: 0, out: "new.yaml\n" });
  expect(await call(cwd, ["validate", "new.yaml", "--strict"])).toMatchObject({ exitCode: 0 });
  const ran = await call(cwd, ["run", "new.yaml", "the sea", ...START, "--quiet"]);
  expect(ran).toMatchObject({ exitCode: 0, out: "failing\n", err: "" });
});

test(".relay/relay.yaml runs the workflow that it names [WF-16]", async () => {
  const cwd = createProject({ "talk.yaml": CASSETTE });
  mkdirSync(join(cwd, ".relay/workflows"), { recursive: true });
  writeFileSync(join(cwd, ".relay/workflows/tides.yaml"), FLOW);
  writeFileSync(
    join(cwd, ".relay/relay.yaml"),
    "swarm:\n  workflow: tides\n  agents: { worker: gemini }\n",
  );
  const called = await call(cwd, ["run", ".relay/relay.yaml", "the sea", ...START, "--quiet"]);
  expect(called).toMatchObject({ exitCode: 0, out: "failing\n" });
  const plan = await call(cwd, ["plan", ".relay/relay.yaml", "x", "-i", "place=y", "--json"]);
  expect(JSON.parse(plan.out)).toMatchObject({ agents: [{}, { id: "worker", backend: "gemini" }] });
});
