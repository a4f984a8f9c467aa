import type { CliCommand, Invocation, OptionSpec } from "../command/command.ts";

/** The first option of a call that is a person's word, as it would be typed; undefined without one. */
export function personalOption(
  { options: specs = [] }: Pick<CliCommand, "options">,
  { options }: Pick<Invocation, "options">,
): string | undefined {
  for (const spec of specs) {
    const flag = /--([\w-]+)/.exec(spec.flags)?.[1];
    if (flag === undefined) continue;
    const given = options[toKey(flag)];
    if (isPersonal(spec, given))
      return typeof given === "string" ? `--${flag} ${given}` : `--${flag}`;
  }
  return undefined;
}

function isPersonal({ isPersonal: rule }: OptionSpec, given: unknown): boolean {
  if (rule === undefined || given === undefined || given === false) return false;
  return rule === true || (typeof given === "string" && rule.includes(given));
}

/** The name under which the parser of command lines keeps a flag. */
function toKey(flag: string): string {
  return flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
