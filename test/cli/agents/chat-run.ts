import { onTestFinished } from "vitest";
import { runCli } from "../../../src/cli/run-cli.ts";
import { createFakeIo, createProject, type FakeIo } from "../fake-io.ts";

/** An agent that people can write to while another one keeps the run going. */
export const CHAT = `version: "1.0"
name: chat
pattern: dag
agents:
  - { id: helper, backend: script, session: keep }
  - { id: gate, backend: script, session: keep }
steps:
  - { id: hello, agent: helper, prompt: "be ready" }
  - { id: wait, agent: gate, prompt: "wait", dependsOn: [hello] }
`;

/** What the helper says first, and to each message. */
export function chatCassette(turns: readonly string[]): string {
  const lines = ['{ say: "DONE: ready" }', ...turns].map((turn) => `    - ${turn}`);
  return `version: 1\nagents:\n  helper:\n${lines.join("\n")}\n  gate: [{ hang: true }]\n`;
}

/** A run that goes on in this process until the test is over. */
export interface ChatRun {
  readonly cwd: string;
  readonly io: FakeIo;
  /** Lets go of the run; resolves when that is done. */
  readonly letGo: () => Promise<number>;
}

/** Starts the chat in a project of its own; resolves when the helper is ready. */
export async function startChat(
  turns: readonly string[],
  options: readonly string[] = [],
): Promise<ChatRun> {
  const cwd = createProject({ "chat.yaml": CHAT, "c.yaml": chatCassette(turns) });
  const io = createFakeIo({ cwd });
  const running = runCli(["run", "chat.yaml", "--cassette", "c.yaml", ...options], io);
  const letGo = () => {
    io.signal("SIGTERM");
    return running;
  };
  onTestFinished(async () => void (await letGo()));
  await io.seen("wait     ● started");
  return { cwd, io, letGo };
}
