/** An object without its undefined members. */
export type Present<Members> = { [Key in keyof Members]?: Exclude<Members[Key], undefined> };

/** Leaves out members that are undefined, as exact optional properties want. */
export function present<Members extends object>(members: Members): Present<Members> {
  // Built up: an object from which something was deleted stays slow for whoever reads it.
  const result: Present<Members> = {};
  for (const key in members) {
    const member = members[key];
    if (isGiven(member)) result[key] = member;
  }
  return result;
}

function isGiven<Member>(member: Member): member is Exclude<Member, undefined> {
  return member !== undefined;
}
