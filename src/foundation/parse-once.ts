/**
 * For schemas that are applied once or twice in a process: zod compiles a schema at its first use, which pays
 * from some ten values on.
 */
export const PARSE_ONCE: { readonly jitless: true } = { jitless: true };
