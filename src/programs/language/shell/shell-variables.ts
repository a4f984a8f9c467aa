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
