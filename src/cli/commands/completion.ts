import { declareCommand } from "../command/command.ts";

/** `troupe completion` */
export const completionCommand = declareCommand({
  name: "completion",
  group: "System",
  authority: "reads",
  summary: "make a shell complete commands, runs and files",
  arguments: [
    { name: "<shell>", about: "which shell", choices: ["bash", "zsh", "fish", "powershell"] },
    { name: "[words...]", about: "what was typed; the script of the shell asks so" },
  ],
  notes: [
    "bash: source <(troupe completion bash)",
    "zsh: source <(troupe completion zsh)",
    "fish: troupe completion fish > ~/.config/fish/completions/troupe.fish",
    "PowerShell: troupe completion powershell | Out-String | Invoke-Expression",
  ],
});
