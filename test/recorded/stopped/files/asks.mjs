import { execFileSync } from "node:child_process";

/** Asks before it runs its one command. */
export async function asks({ requestPermission, cwd, env, signal }) {
  const input = { command: "sh work.sh allowed" };
  const { decision } = await requestPermission({ tool: "Bash", input }, signal);
  if (decision !== "allowed") return "DONE: I may not";
  const options = { cwd, env: { ...process.env, ...env }, input: "", encoding: "utf8" };
  return `DONE: ${execFileSync("sh", ["work.sh", "allowed"], options)}`;
}
