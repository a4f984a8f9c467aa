import type { Paint } from "../terminal/paint.ts";
import { TROUPE } from "./called-as.ts";

// Nothing here imports the commands: they all import this. A test compares the names.
const NAMES = [
  ...[
    "advise",
    "answer",
    "approve",
    "ask",
    "attach",
    "away",
    "cancel",
    "chat",
    "collab",
    "completion",
  ],
  ...["config"],
  ...["context", "convert", "cost", "daemon", "demo", "diff", "doctor", "explain", "export"],
  ...["fork", "gc", "graph", "help", "import", "inbox", "init", "iter", "list", "logs"],
  ...["mcp", "merge", "new", "pause", "peek", "plan", "reject", "report", "rerun", "resume"],
  ...[
    "restart",
    "rm",
    "run",
    "runs",
    "schedule",
    "schema",
    "send",
    "show",
    "start",
    "stop",
    "team",
    "templates",
    "test",
  ],
  ...["trail", "trust", "validate"],
];

// No path and no sentence about troupe: the name of a command follows.
const SUGGESTED = new RegExp(`(?<![\\w@./-])troupe(?= (?:${NAMES.join("|")})(?![\\w-]))`, "g");

/** A text of Troupe's own with the commands in it as they are called here: "look with npx troupe show". */
export function asCalled(text: string, troupe: string = TROUPE): string {
  return troupe === "troupe" ? text : text.replace(SUGGESTED, () => troupe);
}

/** Paints as `paint` does, with the commands in hints as they are called here. */
export function paintCalled(paint: Paint): Paint {
  return (text, role) => paint(role === "hint" ? asCalled(text) : text, role);
}
