/**
 * Where in a shell command a text ends, as far as quoting goes. Values always arrive through
 * environment variables, so a wrong guess here can split or quote a value oddly, never run it.
 */
export interface ShellState {
  readonly open: OpenContext | undefined;
  readonly isEscaped: boolean;
  /** The character before, which decides whether # begins a comment and ( a substitution. */
  readonly previous: string;
}

/** A quote or parenthesis that is not closed yet, with the one around it. `substitution` is `$(`. */
interface OpenContext {
  readonly kind: "single" | "double" | "substitution" | "parenthesis" | "backtick" | "comment";
  readonly outer: OpenContext | undefined;
}

/** The beginning of a command. */
export const initialShellState: ShellState = { open: undefined, isEscaped: false, previous: "\n" };

/** The state after some more text of the command. */
export function advanceShell(state: ShellState, text: string): ShellState {
  let current = state;
  for (const character of text) current = advance(current, character);
  return current;
}

/** How an environment variable is written at a place so that its value stays one piece of text. */
export function referenceIn(state: ShellState, name: string): string {
  if (state.open?.kind === "double") return `\${${name}}`;
  return state.open?.kind === "single" ? `'"\${${name}}"'` : `"\${${name}}"`;
}

function advance(state: ShellState, character: string): ShellState {
  const context = state.open?.kind;
  if (context === "single") return closeOn("'", state, character);
  if (context === "comment") return closeOn("\n", state, character);
  if (state.isEscaped) return keep({ ...state, isEscaped: false }, character);
  if (character === "\\") return { ...state, isEscaped: true, previous: character };
  if (character === '"') return toggle(state, "double", character);
  if (character === "`") return toggle(state, "backtick", character);
  if (character === "(" && state.previous === "$") return open(state, "substitution", character);
  if (context === "double") return keep(state, character);
  return advanceUnquoted(state, character);
}

function advanceUnquoted(state: ShellState, character: string): ShellState {
  const context = state.open?.kind;
  if (character === "'") return open(state, "single", character);
  if (character === "#" && /[\s;&|(]/.test(state.previous))
    return open(state, "comment", character);
  if (character === "(") return open(state, "parenthesis", character);
  const isInside = context === "substitution" || context === "parenthesis";
  return isInside ? closeOn(")", state, character) : keep(state, character);
}

function toggle(state: ShellState, kind: OpenContext["kind"], character: string): ShellState {
  return state.open?.kind === kind ? close(state, character) : open(state, kind, character);
}

function open(state: ShellState, kind: OpenContext["kind"], character: string): ShellState {
  return { open: { kind, outer: state.open }, isEscaped: false, previous: character };
}

function closeOn(end: string, state: ShellState, character: string): ShellState {
  return character === end ? close(state, character) : keep(state, character);
}

function close(state: ShellState, character: string): ShellState {
  return { open: state.open?.outer, isEscaped: false, previous: character };
}

function keep(state: ShellState, character: string): ShellState {
  return { ...state, previous: character };
}
