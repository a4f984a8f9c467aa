/** `${NAME}` in a text: a variable of whoever started Troupe. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Names of the variables that texts take. */
export function variablesIn(texts: readonly string[]): readonly string[] {
  return [
    ...new Set(texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name = ""]) => name))),
  ];
}

/** Texts with the values of their variables; one that is not set leaves nothing. */
export function fillVariables(
  texts: { readonly [key: string]: string } = {},
  variable: (name: string) => string | undefined,
): { [key: string]: string } {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      text.replaceAll(VARIABLE, (_, name: string) => variable(name) ?? ""),
    ]),
  );
}
