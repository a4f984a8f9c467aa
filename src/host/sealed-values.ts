/** What stands behind the tokens in the variables of a run: by the name of the variable, then by token. */
export type SealedValues = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Variables with what their tokens stand for. */
export function withoutTokens(
  env: { readonly [name: string]: string },
  sealed: SealedValues,
): { readonly [name: string]: string } {
  if (sealed.size === 0) return env;
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const texts = [...(sealed.get(name) ?? [])];
      return [name, texts.reduce((all, [token, text]) => all.replaceAll(token, () => text), value)];
    }),
  );
}
