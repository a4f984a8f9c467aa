import { expect, test } from "vitest";
import { AIDER_REFUSED } from "../../../src/agents/backends/aider/aider-refused.ts";
import { CLAUDE_REFUSED } from "../../../src/agents/backends/claude/claude-refused.ts";
import { CODEX_REFUSED } from "../../../src/agents/backends/codex/codex-refused.ts";
import { CURSOR_REFUSED } from "../../../src/agents/backends/cursor/cursor-refused.ts";
import { GEMINI_REFUSED } from "../../../src/agents/backends/gemini/gemini-refused.ts";
import { GOOSE_REFUSED } from "../../../src/agents/backends/goose/goose-refused.ts";
import { OPENCODE_REFUSED } from "../../../src/agents/backends/opencode/opencode-refused.ts";
import {
  assertArguments,
  refusedIn,
} from "../../../src/agents/backends/parts/refused-arguments.ts";

const TABLES = {
  claude: CLAUDE_REFUSED,
  codex: CODEX_REFUSED,
  gemini: GEMINI_REFUSED,
  opencode: OPENCODE_REFUSED,
  cursor: CURSOR_REFUSED,
  goose: GOOSE_REFUSED,
  aider: AIDER_REFUSED,
};

// Each line is one command line.
const BAD: { readonly [name in keyof typeof TABLES]: readonly string[] } = {
  claude: [
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions=true",
    "--dangerously-load-development-channels x",
    ...["--permission-mode bypassPermissions", "--permission-mode=acceptEdits"],
    ...["--allowedTools Bash", "--allowed-tools=Bash", "--tools Bash", "--settings {}"],
    ...["--mcp-config x.json", "--mcp-config=x.json", "--plugin-dir x", "--plugin-url=y"],
    ...["--agents {}", "-c", "-pc", "-pr", "-rabc", "-r abc", "-w", "--", "--verbose -- x"],
  ],
  codex: [
    ...["--yolo", "--dangerously-bypass-approvals-and-sandbox", "--full-auto", "--approve-for-me"],
    ...["--dangerously-bypass-hook-trust", "-a never", "-anever", "-a=never"],
    ...["--ask-for-approval=never", "-s danger-full-access", "-sdanger-full-access"],
    ...["--sandbox danger-full-access", "-c approval_policy=never", "-capproval_policy=never"],
    ...["-c=sandbox_mode=danger-full-access", "--config approval_policy=never", "-c"],
    ...["--config=sandbox_mode=danger-full-access", '-c "approval_policy"=never', "--config"],
    ...["-c model_providers.x={}", "-c mcp_servers.x={}", "-p loose", "--profile=loose"],
    ...["--enable hooks", "--disable=x", "-C /", "--add-dir /", "--", "-c model=x -c notify=[]"],
  ],
  gemini: [
    ...["--yolo", "--yolo=true", "-y", "-dy", "-yd", "-y=true", "-yolo", "--no-yolo=false"],
    ...[
      "--approval-mode yolo",
      "--approval-mode=yolo",
      "--approvalMode=yolo",
      "--approvalMode yolo",
    ],
    ...["--allowed-tools=x", "--allowedTools x", "--policy p", "--adminPolicy=p", "--skipTrust"],
    ...["--skip-trust", "-e x", "--extensions x", "--includeDirectories=/", "--acp", "-p x", "--"],
  ],
  opencode: [
    ...["--auto", "--auto=true", "--auto.x", "--port 1", "--hostname=0.0.0.0", "--mdns"],
    ...["--dangerously-skip-permissions", "--dangerouslySkipPermissions", "-s x", "-c", "--"],
  ],
  cursor: ["--force", "-f", "-pf", "--yolo", "--trust", "--approve-mcps", "--sandbox=disabled"],
  goose: ["--with-extension x", "--with-builtin=x", "--resume", "-r", "--name x"],
  aider: [
    ...["--yes-always", "--yes", "--yes-a", "--ye", "--no-suggest-shell-commands", "--test-c x"],
    ...["--lint-cmd x", "--config x", "-c x", "-cx", "--env-file=x", "--auto-c", "-m hi"],
  ],
};

const CASES = Object.entries(BAD).flatMap(([name, lines]) => lines.map((line) => [name, line]));

const isTable = (name: string): name is keyof typeof TABLES => name in TABLES;
const tableOf = (name = "") => {
  if (isTable(name)) return TABLES[name];
  throw new Error(`no table of ${name}`);
};

test.each(CASES)("%s may not be called with `%s` [AGT-10, T18]", (name = "", line = "") => {
  const args = line.split(" ");
  const table = tableOf(name);
  expect(refusedIn(args, table)).toBeDefined();
  // By the agent, by the configuration, and after others.
  const spec = { id: "worker", backend: name };
  const inSpec = { ...spec, settings: { args: ["--verbose", ...args] } };
  const error = expect.objectContaining({ code: "BACKEND_SETTINGS_INVALID" });
  expect(() => assertArguments(inSpec, undefined, table)).toThrow(error);
  expect(() => assertArguments(spec, { args }, table)).toThrow(error);
});

test.each([
  ["claude", "--verbose --add-dir ../docs --effort high -n session-crw --debug -d --model=opus"],
  ["codex", "-m gpt-5 -mgpt-5-pas -c model_reasoning_effort=high --config model_verbosity=low"],
  ["codex", "--config=model_reasoning_effort=high -cmodel=o3"],
  ["gemini", "--debug -d -m gemini-2.5-pro --sandbox"],
  ["opencode", "--print-logs --log-level DEBUG --pure"],
  ["aider", "--model x --map-tokens 100 --no-stream --edit-format diff"],
])("%s may be called with `%s` [PAT-task]", (name, line) => {
  expect(refusedIn(line.split(" "), tableOf(name))).toBeUndefined();
});

test("a command of the configuration may begin with another program, and holds no bypass either", () => {
  const spec = { id: "worker", backend: "gemini" };
  const run = (command: readonly string[]) => assertArguments(spec, { command }, GEMINI_REFUSED);
  expect(() => run(["docker", "run", "-e", "KEY", "-w", "/src", "gemini"])).not.toThrow();
  expect(() => run(["node", "gemini.js", "--yolo"])).toThrow("--yolo");
});
