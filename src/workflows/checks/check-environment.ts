import { entryOf, type SourceNode } from "../source/source-node.ts";
import type { CheckContext } from "./check-context.ts";
import { variableNotSet, variableWithheld } from "./errors.ts";
import { type LocatedText, listAt, MAX_NEAR_NAMES, textList, textsAt } from "./file-view.ts";

// Pattern and kickoff workflows write the first, step workflows the second.
const KEYS = ["passEnv", "pass_env"];

/**
 * Warns of variables that are handed on and not set here, and of those that a command of a holder (an agent, a step)
 * uses, that are set here, and that nobody hands on to it: it would find them empty (USE-9).
 */
export function checkEnvironment(
  { options, report }: Pick<CheckContext, "options" | "report">,
  root: SourceNode,
  holders: readonly SourceNode[],
): void {
  const { environment, withheld } = options;
  for (const name of [root, ...holders].flatMap(passedBy)) {
    if (environment === undefined || environment.includes(name.text)) continue;
    const known = environment.slice(0, MAX_NEAR_NAMES);
    report(variableNotSet({ name: name.text, known }), name.node, { severity: "warning" });
  }
  if (withheld === undefined) return;
  const told = new Set<string>();
  for (const holder of holders) {
    const handed = new Set([...[root, holder].flatMap(passedBy).map(({ text }) => text)]);
    const env = entryOf(holder, "env")?.node;
    if (env?.kind === "map") for (const name of env.entries.keys()) handed.add(name);
    for (const command of commandsIn(holder)) {
      for (const name of shellVariables(command.text)) {
        if (handed.has(name) || told.has(name) || !withheld.includes(name)) continue;
        told.add(name);
        report(variableWithheld({ name }), command.node, { severity: "warning" });
      }
    }
  }
}

function passedBy(node: SourceNode): readonly LocatedText[] {
  return KEYS.flatMap((key) => textsAt(node, key));
}

/** Texts of a holder that a shell reads. */
function commandsIn(holder: SourceNode): readonly LocatedText[] {
  const commands = [holder, ...listAt(holder, "verify")].map(
    (node) => entryOf(node, "command")?.node,
  );
  return commands.flatMap((command) => {
    if (command?.kind !== "list") return textList(command);
    const [program, option, code] = textList(command);
    const isShell = /(?:^|\/)(?:ba|da|z)?sh$/.test(program?.text ?? "");
    return isShell && code !== undefined && option?.text === "-c" ? [code] : [];
  });
}

const QUOTED = /'[^']*'|\\[\s\S]/g;

const USED = /\$(?:\{[#!]?)?([A-Za-z_][A-Za-z0-9_]*)/g;

const SET =
  /(?:^|[\s;&|(`])(?:export\s+|local\s+|readonly\s+)?([A-Za-z_][A-Za-z0-9_]*)\+?=|\bfor\s+([A-Za-z_]\w*)|\bread\s+(?:-\S{1,20}\s+){0,4}([A-Za-z_]\w*)/g;

/** What every shell sets itself. */
const OF_THE_SHELL =
  "PWD OLDPWD SHLVL IFS RANDOM LINENO SECONDS HOSTNAME UID EUID PPID OPTARG OPTIND COLUMNS LINES _".split(
    " ",
  );

/**
 * The variables that a text for a shell uses and nowhere sets, each once, in their order: those of the environment, as
 * far as can be told without carrying anything out.
 */
export function shellVariables(text: string): readonly string[] {
  // What single quotes hold is none of this shell's; what they hold for another one is not known here.
  const read = text.replace(QUOTED, " ");
  const set = [...read.matchAll(SET)].flatMap(([, ...names]) => names);
  const own = new Set([...OF_THE_SHELL, ...set]);
  const used = [...read.matchAll(USED)].map(([, name = ""]) => name);
  return [...new Set(used)].filter((name) => !own.has(name));
}
