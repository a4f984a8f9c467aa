/** Command lines that nobody may add to, by backend; each of them in its own spelling. */
export const REFUSED_LINES = {
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
} as const satisfies { readonly [backend: string]: readonly string[] };

/** Command lines that look like those and change nothing that Troupe decides. */
export const HARMLESS_LINES = [
  ["claude", "--verbose --effort high -n session-crw --debug -d --model=opus"],
  ["codex", "-m gpt-5 -mgpt-5-pas -c model_reasoning_effort=high --config model_verbosity=low"],
  ["codex", "--config=model_reasoning_effort=high -cmodel=o3"],
  ["gemini", "--debug -d -m gemini-2.5-pro --sandbox"],
  ["opencode", "--print-logs --log-level DEBUG --pure"],
  ["cursor", "--model gpt-5 --api-key-file x"],
  ["goose", "--no-color --quiet"],
  ["aider", "--model x --map-tokens 100 --no-stream --edit-format diff"],
] as const;
