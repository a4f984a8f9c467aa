import type { OptionSpec } from "../command/option.ts";

/** The parts of an option such as `-m, --message <text>`. */
export interface Flags {
  readonly short: string | undefined;
  readonly long: string | undefined;
  /** What stands for its value: `text`; undefined for an option without one. */
  readonly placeholder: string | undefined;
}

/** Takes the flags of an option apart. */
export function readFlags({ flags }: Pick<OptionSpec, "flags">): Flags {
  return {
    short: /(?:^|\s)(-\w)\b/.exec(flags)?.[1],
    long: /(--[\w-]+)/.exec(flags)?.[1],
    placeholder: /[<[]([^>\]]+)[>\]]/.exec(flags)?.[1],
  };
}
