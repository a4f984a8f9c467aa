import { parseShell, type ShellWord } from "./shell-commands.ts";

/** How a program that runs another one is called. */
interface Wrapper {
  /** Options that have a value of their own as the next word. */
  readonly valued: readonly string[];
  /** How many words stand before the command, beside options and assignments. */
  readonly operands: number;
  /** Words of which the first must follow, as `run` in `uv run`. */
  readonly verbs?: readonly string[];
}

const plain: Wrapper = { valued: [], operands: 0 };
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ["env", { valued: ["-u", "--unset", "-C", "--chdir"], operands: 0 }],
  ["timeout", { valued: ["-k", "--kill-after", "-s", "--signal"], operands: 1 }],
  ["nice", { valued: ["-n", "--adjustment"], operands: 0 }],
  ["ionice", { valued: ["-c", "-n", "-p"], operands: 0 }],
  ["chrt", { valued: [], operands: 1 }],
  ["taskset", { valued: [], operands: 1 }],
  ["stdbuf", { valued: ["-i", "-o", "-e"], operands: 0 }],
  ["time", { valued: ["-f", "-o"], operands: 0 }],
  ["exec", { valued: ["-a"], operands: 0 }],
  ["sudo", { valued: ["-u", "-g", "-D"], operands: 0 }],
  ["doas", { valued: ["-u"], operands: 0 }],
  ["flock", { valued: ["-w", "-E"], operands: 1 }],
  ["xargs", { valued: ["-n", "-I", "-P", "-L", "-d", "-a", "-s", "-E"], operands: 0 }],
  ["prlimit", { valued: ["-p"], operands: 0 }],
  ["setpriv", { valued: [], operands: 0 }],
  ["unshare", { valued: [], operands: 0 }],
  ["npx", { valued: ["-p", "--package"], operands: 0 }],
  ["bunx", plain],
  ...["command", "builtin", "nohup", "setsid", "chronic", "unbuffer", "xvfb-run", "busybox"].map(
    (name): [string, Wrapper] => [name, plain],
  ),
  ...["uv", "poetry", "pipenv", "pdm", "rye", "hatch"].map((name): [string, Wrapper] => [
    name,
    { ...plain, verbs: ["run"] },
  ]),
  ["bundle", { ...plain, verbs: ["exec"] }],
]);
const ASSIGNMENT_PATTERN = /^[A-Za-z_]\w*=/;

/** The words of the command that another program or an assignment stands before; undefined when none does. */
export function unwrapped(words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  const [first, ...rest] = words;
  if (first === undefined) return undefined;
  if (ASSIGNMENT_PATTERN.test(first.text)) return rest;
  const split = rest.findIndex(({ text }) => text === "-S" || text === "--split-string");
  if (programName(first.text) === "env" && split >= 0) {
    const [line] = parseShell(rest[split + 1]?.text ?? "");
    return [...(line?.words ?? []), ...rest.slice(split + 2)];
  }
  const wrapper = WRAPPERS.get(programName(first.text));
  if (wrapper === undefined) return undefined;
  if (wrapper.verbs === undefined) return afterOptions(rest, wrapper);
  const [verb, ...behind] = rest;
  return wrapper.verbs.includes(verb?.text ?? "") ? afterOptions(behind, wrapper) : undefined;
}

/** The name of a program, wherever it lies. */
export function programName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What follows the options of a command. */
export function afterOptions(
  words: readonly ShellWord[],
  { valued, operands }: Pick<Wrapper, "valued" | "operands">,
): readonly ShellWord[] {
  let [index, left] = [0, operands];
  for (; index < words.length; index += 1) {
    const text = words[index]?.text ?? "";
    if (text === "--") continue;
    if (text.startsWith("-") && text !== "-") index += valued.includes(text) ? 1 : 0;
    else if (ASSIGNMENT_PATTERN.test(text)) continue;
    else if (left > 0) left -= 1;
    else break;
  }
  return words.slice(index);
}
