const UNITS: { readonly [unit: string]: number } = {
  B: 1,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

/** How sizes are written: `512MiB`, `16GiB`, `64KiB`, `100B`. */
export const SIZE_PATTERN = /^([1-9]\d{0,8})(B|KiB|MiB|GiB|TiB)$/;

/** The bytes of a written size; undefined for any other text. */
export function parseSize(text: string): number | undefined {
  const [, amount, unit = ""] = SIZE_PATTERN.exec(text) ?? [];
  const factor = UNITS[unit];
  return amount === undefined || factor === undefined ? undefined : Number(amount) * factor;
}

/** A number of bytes for people, in the largest unit that leaves at least 1: `1.5 GiB`. */
export function formatSize(sizeBytes: number): string {
  const [unit, factor] =
    Object.entries(UNITS).findLast(([, each]) => sizeBytes >= each) ?? (["B", 1] as const);
  return `${Math.round((sizeBytes / factor) * 10) / 10} ${unit}`;
}
