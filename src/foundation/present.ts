/** An object without its undefined members. */
export type Present<Members> = { [Key in keyof Members]?: Exclude<Members[Key], undefined> };

/** Leaves out members that are undefined, as exact optional properties want. */
export function present<Members extends object>(members: Members): Present<Members> {
  const result: Present<Members> = { ...members };
  for (const key in result) if (result[key] === undefined) delete result[key];
  return result;
}
