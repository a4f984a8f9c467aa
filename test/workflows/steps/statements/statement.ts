/** One statement of the source of step workflows, and what shows that it holds. */
export interface Statement {
  readonly says: string;
  /** The requirement that decides where the source contradicts itself, or its code does not do what its text says. */
  readonly decidedBy?: string;
  readonly check: () => void | Promise<void>;
}

/** A statement with the title of its test. */
export interface TitledStatement extends Statement {
  readonly title: string;
}

/** A part of the table. */
export function statements(rows: readonly Statement[]): readonly TitledStatement[] {
  return rows.map((row) => {
    const { says, decidedBy } = row;
    return { ...row, title: decidedBy === undefined ? says : `${says} (decided by ${decidedBy})` };
  });
}
