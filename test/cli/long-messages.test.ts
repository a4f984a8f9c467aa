import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, createProject } from "./fake-io.ts";
import { ONE_STEP } from "./workflows.ts";

const LONG = `@user ${"a finding and ".repeat(1500)}the end`;
const HUGE = "x".repeat(300_000);

test("--json has the whole text of a long message, and of a huge one the way to it, live and later [MSG-9, CLI-1]", async () => {
  const cwd = createProject();
  writeFileSync(join(cwd, "one.yaml"), ONE_STEP);
  const send = [LONG, HUGE].map((text) => ({ send: { text } }));
  const cassette = { version: 1, agents: { coder: [{ do: send, say: "DONE: coded" }] } };
  writeFileSync(join(cwd, "cassette.yaml"), JSON.stringify(cassette));
  const live = await call(cwd, ["run", "one.yaml", "go", "--json", "--cassette", "cassette.yaml"]);
  expect(live.err).toBe("");
  const later = await call(cwd, ["logs", "--json"]);
  for (const { out } of [live, later]) {
    const posted = out
      .split("\n")
      .filter((line) => line.includes('"message-posted"'))
      .map((line) => JSON.parse(line));
    expect(posted).toMatchObject([
      { text: LONG, body: { sizeBytes: LONG.length } },
      { text: { truncated: true, ref: expect.stringMatching(/^seq:\d+\/text$/) } },
      { text: "DONE: coded" },
    ]);
  }
  const plain = await call(cwd, ["logs"]);
  expect(plain.out).toContain("a finding and a finding");
});
