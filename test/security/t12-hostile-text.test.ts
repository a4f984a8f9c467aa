import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createVictim } from "./victim.ts";

const ESCAPES =
  "\\e]0;title\\a\\e[2J\\e[31mred\\e]8;;http://x\\e\\\\ \\u202Etxt.exe\\u2066 \\r\\b\\b";
const MARKUP =
  "</script><script>alert(1)</script><img src=x onerror=alert(1)>[a](javascript:alert(1))";

const TEAM = `name: team
pattern: fan-out
agents:
  - { id: artist, backend: script, script: [ { say: "${ESCAPES} ${MARKUP}\\nDONE: ${ESCAPES} ${MARKUP}" } ] }
`;

/** Control characters but tab and line break, and what turns the direction of a line. */
const DRIVING = /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/u;
const bin = join(import.meta.dirname, "../../bin/troupe.js");

test("what shows a run, while it runs and later, writes no control character of an agent [T12]", async () => {
  const victim = createVictim({ "team.yaml": TEAM });
  const ran = await victim.troupe("run", "team.yaml", "paint");
  expect(ran).toMatchObject({ exitCode: 0, out: expect.stringContaining("alert(1)") });
  expect(ran.out + ran.err).not.toMatch(DRIVING);
  for (const args of [["show", "@last"], ["logs", "@last"], ["peek"], ["runs"], ["away"]]) {
    const { out, err } = await victim.troupe(...args);
    expect(out + err, args.join(" ")).not.toMatch(DRIVING);
  }
});

test("the bare result drives no terminal either [T12]", () => {
  const victim = createVictim({ "team.yaml": TEAM });
  const command = `${process.execPath} ${bin} run team.yaml paint -q`;
  const env = { ...process.env, ...victim.env, NO_COLOR: "1" };
  const shown = execFileSync("script", ["-qec", command, "/dev/null"], {
    cwd: victim.project,
    env,
    encoding: "utf8",
  });
  expect(shown).toContain("alert(1)");
  // A terminal ends its lines with a carriage return.
  expect(shown.replaceAll("\r\n", "\n")).not.toMatch(DRIVING);
});

test("the page of a run holds no markup of an agent and may load nothing [T12]", async () => {
  const victim = createVictim({ "team.yaml": TEAM });
  await victim.troupe("run", "team.yaml", "paint");
  const file = join(victim.project, "page.html");
  expect(await victim.troupe("report", "@last", "-o", file)).toMatchObject({ exitCode: 0 });
  const page = readFileSync(file, "utf8");
  expect(page).toContain("default-src 'none'");
  expect(page).not.toContain("<script>alert(1)");
  expect(page).not.toContain("<img src=x");
});
