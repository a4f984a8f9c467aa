import type { ConfigValue } from "./config.ts";

// Each of these can make a program run, let agents do more, or send secrets somewhere: what a repository
// brings along must not decide that by itself (SEC-1, T18).
const RULES: readonly ((value: ConfigValue) => boolean)[] = [
  ({ path }) => path[0] === "permissions",
  ({ path }) => path[0] === "plugins",
  ({ path }) => path[0] === "roles",
  ({ path }) => path[0] === "env",
  ({ path }) => path[0] === "sandbox",
  ({ path: [top, , key] }) =>
    top === "backends" &&
    ["type", "command", "args", "env", "baseUrl", "apiKeyEnv"].includes(key ?? ""),
  ({ path, value }) =>
    path.join(".") === "defaults.permissionMode" &&
    (value === "accept-edits" || value === "bypass"),
  ({ path, value }) => path[0] === "engine" && value !== "embedded",
];

/** Whether a value of a project's configuration takes effect only when the project is trusted. */
export function needsTrust(value: ConfigValue): boolean {
  return RULES.some((rule) => rule(value));
}
