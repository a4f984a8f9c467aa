import { describe, expect, test } from "vitest";
import { takesAll } from "../cases.ts";
import { createProject, troupe } from "./troupe-process.ts";

const GIGABYTE = 1_000_000_000;
// Several times what an owner may grow by.
const MUCH = takesAll() ? 300_000_000 : 150_000_000;
const MOST_MIB = 64;

/** The second agent reads how much memory its parent, which is the owner of the run, has had at most. */
const workflow = (loud: object) => `version: "1.0"
name: loud
pattern: pipeline
agents:
  - ${JSON.stringify({ id: "loud", ...loud })}
  - { id: look, backend: command, command: "grep VmHWM /proc/$PPID/status" }
steps:
  - { id: print, agent: loud, prompt: go }
  - { id: look, agent: look, prompt: go }
errorHandling: { onFailure: continue }
`;

/** What an ACP agent prints is read line by line as JSON. */
const ACP = String.raw`
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":%s}\n' "$1"; }
text() { head -c "$1" /dev/zero | tr '\0' x; }
`;

// As scripts, by what they print.
const READ_AS_JSON = [
  ["short lines", `yes "$(update '{"sessionId":"x"}')" | head -c ${MUCH}`],
  ["long lines", `yes "$(text 100000)" | head -c ${MUCH}`],
  ["a line that does not end", `text ${MUCH}`],
  ["lines of megabytes", `x=$(text 5000000); for i in $(seq 1 40); do update "["$x"]"; done`],
  [
    "lines of millions of values",
    "x=$(text 7800000 | sed 's/xxx/{},/g'); for i in $(seq 1 10); do update \"[$x 0]\"; done",
  ],
] as const;

async function peakMiB(loud: object): Promise<number> {
  const cwd = createProject({ "loud.yaml": workflow(loud) });
  const { out } = await troupe(cwd, ["run", "loud.yaml"], { SOME_API_KEY: "abcabcab22" });
  return Number(/VmHWM:\s+(\d+) kB/.exec(out)?.[1]) / 1024;
}

const quietMiB = new Map<string, number>();

/** How much more memory the owner has had than one whose agent of that backend prints a word. */
async function growthMiB(backend: "command" | "acp", script: string): Promise<number> {
  const running = (text: string) => ({ backend, command: ["bash", "-c", text] });
  const quiet = quietMiB.get(backend) ?? (await peakMiB(running("echo quiet")));
  expect(quiet).toBeGreaterThan(0);
  quietMiB.set(backend, quiet);
  return (await peakMiB(running(script))) - quiet;
}

describe.runIf(process.platform === "linux")("memory", () => {
  test("the owner of a run grows by 64 MB at most while an agent prints 1 GB [AGT-6.gigabyte]", async (context) => {
    context.skip(!takesAll(), "only in npm run prove");
    const script = `yes abcdefghijklmnopqrstuvwxyz | head -c ${GIGABYTE}`;
    expect(await growthMiB("command", script)).toBeLessThan(MOST_MIB);
  });

  test.each([
    ["characters that JSON escapes", `head -c ${MUCH} /dev/zero`],
    ["characters of three bytes", `yes 一二三四五六七八九十 | head -c ${MUCH}`],
    ["lines on stderr", `yes abcdefghijklmnopqrstuvwxyz | head -c ${MUCH} >&2`],
  ])(
    "the owner of a run grows by 64 MB at most while an agent prints %s [AGT-6.owner]",
    async (_, script) => {
      expect(await growthMiB("command", script)).toBeLessThan(MOST_MIB);
    },
  );

  test.each(READ_AS_JSON)(
    "the owner of a run grows by 64 MB at most while an agent that is read as JSON prints %s [AGT-6.owner]",
    async (_, script) => {
      expect(await growthMiB("acp", ACP + script)).toBeLessThan(MOST_MIB);
    },
  );
});
