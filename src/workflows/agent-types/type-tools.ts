import { OWN_TOOLS } from "../../contracts/agent.ts";

/** What the head of an agent type says of tools, in the words of Claude Code or of opencode. */
export interface WrittenTools {
  readonly tools: string | readonly string[] | Readonly<Record<string, boolean>> | null | undefined;
  readonly disallowedTools: string | readonly string[] | null | undefined;
  readonly permission: Readonly<Record<string, "allow" | "ask" | "deny">> | null | undefined;
}

/** The tools of an agent type, by the names that every backend is told them by. */
export interface TypeTools {
  readonly tools: readonly string[] | undefined;
  readonly deniedTools: readonly string[] | undefined;
  /** Whether a person must be asked for something, so that no looser mode may hold. */
  readonly mustAsk: boolean;
}

/** Reads what an agent may use and what it never may. */
export function readTypeTools({ tools, disallowedTools, permission }: WrittenTools): TypeTools {
  const switches = isSwitches(tools) ? tools : undefined;
  const switched = Object.entries(switches ?? {});
  const on = switched.flatMap(([name, isOn]) => (isOn ? namesOf(name) : []));
  const off = switched.filter(([name, isOn]) => !isOn && name !== "*");
  // What is on beside "all is off" is all that there is.
  const onlyOn = switches?.["*"] === false ? on : undefined;
  const list = isSwitches(tools) ? onlyOn : toolsOf(tools);
  const ruled = Object.entries(permission ?? {});
  const denied = [
    ...(toolsOf(disallowedTools) ?? []),
    ...off.flatMap(([name]) => namesOf(name)),
    ...ruled.flatMap(([name, rule]) => (rule === "deny" ? permittedBy(name) : [])),
  ];
  const saysWhatNot = isGiven(disallowedTools) || denied.length > 0;
  return {
    tools: list,
    deniedTools: saysWhatNot ? [...new Set(denied)] : undefined,
    mustAsk: ruled.some(([, rule]) => rule === "ask"),
  };
}

// By names in lower case: what other programs call these tools.
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  edit: ["Edit", "MultiEdit"],
  patch: ["Edit", "MultiEdit"],
  list: ["LS"],
  "*": ["*"],
};

// What opencode asks for as one thing is done by several tools.
const CHANGE: readonly string[] = ["Edit", "MultiEdit", "Write", "NotebookEdit"];

const OWN_BY_LOWER = new Map(OWN_TOOLS.map((name) => [name.toLowerCase(), name]));

function permittedBy(name: string): readonly string[] {
  return name === "edit" ? CHANGE : namesOf(name);
}

function namesOf(name: string): readonly string[] {
  const lower = name.toLowerCase();
  return OTHER_NAMES[lower] ?? [OWN_BY_LOWER.get(lower) ?? name];
}

function isSwitches(tools: WrittenTools["tools"]): tools is Readonly<Record<string, boolean>> {
  return typeof tools === "object" && tools !== null && !Array.isArray(tools);
}

function isGiven(written: WrittenTools["disallowedTools"]): boolean {
  return written !== undefined && written !== null;
}

/** Claude Code writes a list of tools as one text with commas too. */
function toolsOf(written: string | readonly string[] | null | undefined): string[] | undefined {
  if (written === undefined || written === null) return undefined;
  const names = typeof written === "string" ? splitTools(written) : written;
  const given = names.map((name) => name.trim()).filter((name) => name !== "");
  return given.map((name) => OWN_BY_LOWER.get(name.toLowerCase()) ?? name);
}

/** Commas inside of parentheses belong to a name: `Bash(git *, npm *)`. */
function splitTools(text: string): readonly string[] {
  return text.match(/(?:\([^)]*\)|[^,(])+/g) ?? [];
}
