/** One option as help shows it, such as `-m, --message <text>`. */
export interface OptionSpec {
  readonly flags: string;
  readonly about: string;
  /** The only values it takes. */
  readonly choices?: readonly string[];
  /** May stand several times; its values are collected. */
  readonly isRepeatable?: true;
  /** Left out of help. */
  readonly isHidden?: true;
  /** It is a person's word, whatever the command is: given at all, or with one of these values. */
  readonly isPersonal?: true | readonly string[];
}

/** The values of declared options by their names: a flag is false unless given, `--no-x` the other way round; what takes a value is absent unless given. */
export type OptionValues<Specs extends readonly OptionSpec[]> = readonly OptionSpec[] extends Specs
  ? { readonly [name: string]: unknown }
  : DeclaredValues<Specs>;

type DeclaredValues<Specs extends readonly OptionSpec[]> = {
  readonly [Spec in FlagOf<Specs> as OptionName<Spec["flags"]>]: boolean;
} & {
  readonly [Spec in Exclude<Specs[number], FlagOf<Specs>> as OptionName<
    Spec["flags"]
  >]?: ValueOf<Spec>;
};

/** The name of a flag as it is written, such as `noStart` of `--no-start`. */
export type FlagName<Specs extends readonly OptionSpec[]> = readonly OptionSpec[] extends Specs
  ? string
  : CamelCase<WordOf<FlagOf<Specs>["flags"]>>;

type FlagOf<Specs extends readonly OptionSpec[]> = Exclude<
  Specs[number],
  { readonly flags: `${string}<${string}` | `${string}[${string}` }
>;

type ValueOf<Spec extends OptionSpec> = Spec extends { readonly isRepeatable: true }
  ? readonly string[]
  : Spec extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Spec extends { readonly flags: `${string}[${string}` }
      ? string | boolean
      : string;

/** The name under which the parser keeps a value: that of the long flag, without a leading `no-`. */
type OptionName<Flags extends string> = CamelCase<Positive<WordOf<Flags>>>;

type Positive<Word extends string> = Word extends `no-${infer Rest}` ? Rest : Word;

type WordOf<Flags extends string> = Flags extends `${string}--${infer Long}`
  ? FirstWord<Long>
  : Flags extends `-${infer Short}`
    ? FirstWord<Short>
    : never;

type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;

type CamelCase<Text extends string> = Text extends `${infer Head}-${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Text;

type GivenOptions = { readonly [name: string]: unknown };

/** The values of declared options, from what the parser has found. */
export function optionValues<const Specs extends readonly OptionSpec[]>(
  specs: Specs,
  given: GivenOptions,
): OptionValues<Specs>;
export function optionValues(specs: readonly OptionSpec[], given: GivenOptions): GivenOptions {
  const flags = specs.flatMap((spec) =>
    isFlag(spec) ? [[optionKey(spec), /^--no-/.test(spec.flags)] as const] : [],
  );
  return { ...Object.fromEntries(flags), ...given };
}

/** Names of the options that were given, unless they say what holds anyway. */
export function givenOptions(options: object): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => (value === false ? [] : [name]));
}

/** The name under which the value of an option is kept. */
export function optionKey({ flags }: OptionSpec): string {
  const [, word = ""] = /--(?:no-)?([\w-]+)/.exec(flags) ?? /^-(\w)/.exec(flags) ?? [];
  return word.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The flag of an option, from the name under which its value is found. */
export function toFlag(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function isFlag({ flags }: OptionSpec): boolean {
  return !/[<[]/.test(flags);
}
