import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { createAiderBackend } from "../../../../src/agents/backends/aider/aider-backend.ts";
import type { BackendSettings } from "../../../../src/agents/backends/parts/backend-settings.ts";
import type { AgentBackend, SessionRequest } from "../../../../src/contracts/backend.ts";
import { createTestHost } from "../test-host.ts";

const recordSchema = z.object({
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  prompt: z.string(),
  role: z.string(),
  history: z.string(),
});

/** What the program found when it was started. */
export type AiderRecord = z.infer<typeof recordSchema>;

/** A program called `aider` that plays a transcript, in a project of its own. */
export interface FakeAider {
  readonly backend: AgentBackend;
  readonly cwd: string;
  readonly directory: string;
  request(changes?: Partial<SessionRequest>): SessionRequest;
  /** What the next turns print, and what of it the model said. */
  plays(transcript: string, answer?: string): void;
  records(): readonly AiderRecord[];
}

/** Everything ends with the test. */
export function createFakeAider(settings?: BackendSettings): FakeAider {
  const root = mkdtempSync(join(tmpdir(), "troupe-aider-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [bin, cwd, directory] = ["bin", "project", "agent"].map((name) => {
    mkdirSync(join(root, name));
    return join(root, name);
  });
  if (bin === undefined || cwd === undefined || directory === undefined) throw new Error("no root");
  const program = join(bin, "aider");
  writeFileSync(program, `#!${process.execPath}\n${PROGRAM}`);
  chmodSync(program, 0o755);
  const { PATH = "" } = process.env;
  const env = { PATH: `${bin}${delimiter}${PATH}`, HOME: root, OPENAI_API_KEY: "sk-fake" };
  return {
    backend: createAiderBackend({ host: createTestHost() }, { name: "aider", settings }),
    cwd,
    directory,
    request: (changes = {}) => ({
      run: "run_aaaaaa",
      session: "worker",
      cwd,
      directory,
      env: { ...env, FAKE_ROOT: root },
      spec: { id: "worker", backend: "aider", cwd },
      ...changes,
    }),
    plays: (transcript, answer = "") =>
      writeFileSync(join(root, "plays.json"), JSON.stringify({ transcript, answer })),
    records: () => {
      const lines = readFileSync(join(root, "records.jsonl"), "utf8").trimEnd().split("\n");
      return lines.map((line) => recordSchema.parse(JSON.parse(line)));
    },
  };
}

/** A recorded-like output, by its name. */
export function transcriptOf(name: string): string {
  return readFileSync(join(import.meta.dirname, "transcripts", `${name}.txt`), "utf8");
}

// A transcript that is `hang` prints something and stays, with a child of its own.
const PROGRAM = `
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const args = process.argv.slice(2);
const valueOf = (flag) => args[args.indexOf(flag) + 1];
const textOf = (file) => (existsSync(file) ? readFileSync(file, "utf8") : "");
const root = process.env.FAKE_ROOT;
const history = valueOf("--chat-history-file");
appendFileSync(root + "/records.jsonl", JSON.stringify({
  args, env: process.env, prompt: textOf(valueOf("--message-file")),
  role: textOf(valueOf("--read")), history: textOf(history),
}) + "\\n");
const { transcript, answer } = JSON.parse(readFileSync(root + "/plays.json", "utf8"));
if (transcript === "hang") {
  require("node:child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  console.log("thinking");
  setInterval(() => {}, 1000);
} else {
  appendFileSync(history, "\\n# aider chat started at 2026-11-22 08:00:00\\n\\n> Aider v0.86.2  \\n\\n#### do it  \\n\\n" + answer + "\\n\\n> Tokens: 1 sent, 1 received.  \\n");
  process.stdout.write(transcript);
  if (transcript.endsWith("Retrying in 1.0 seconds...\\n")) setInterval(() => {}, 1000);
}
`;
