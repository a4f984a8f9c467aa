export function total(lines) {
  return lines.reduce((sum, { cents }) => sum + cents, 0);
}

/** The mistake to be found: days of the local calendar where the invoice means those of UTC. */
export function dueDate(issuedAt) {
  const date = new Date(issuedAt);
  date.setDate(date.getDate() + 30);
  const pad = (value) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}
