import { expect, test } from "vitest";
import { createVictim } from "./victim.ts";

test.each(["__proto__", "constructor", "prototype"])(
  "the key %s in a file, in parameters and in an answer reaches no prototype [T10]",
  async (key) => {
    const answer = `{"${key}": {"polluted": "yes"}, "ok": true}`;
    const victim = createVictim({
      "file.yaml": `name: f\npattern: fan-out\n${key}: { polluted: yes }\nagents: [ { id: a, backend: script } ]\n`,
      "input.json": answer,
      "steps.yaml": `id: steps
agents:
  - { id: teller, backend: script, script: [ { say: '${answer}' } ] }
steps:
  - { id: tell, type: agent, agent: teller, prompt: "tell", next: look }
  - { id: look, type: transform, transform: "exists(context.tell.polluted) || exists(input.polluted)" }
`,
    });
    expect(await victim.troupe("validate", "file.yaml")).toMatchObject({ exitCode: 2 });
    const ended = await victim.troupe("run", "steps.yaml", "--input", "input.json", "-q");
    expect(ended.err).not.toContain("INTERNAL");
    expect([ended.exitCode, ended.out.trim()]).toEqual([0, "false"]);
  },
);

test("an expression reaches no function and nothing that it was not given [T10]", async () => {
  const paths = [
    "context.constructor",
    "input.__proto__",
    'context["__proto__"].polluted',
    "input.toString",
  ];
  for (const path of paths) {
    const victim = createVictim({
      "steps.yaml": `id: steps\nsteps:\n  - { id: look, type: transform, transform: '${path}' }\n`,
    });
    const ended = await victim.troupe("run", "steps.yaml", "--input", "-i", "x=1");
    expect(ended.exitCode).not.toBe(0);
    expect(ended.err + ended.out).not.toMatch(/INTERNAL|\[object|function/);
  }
});
