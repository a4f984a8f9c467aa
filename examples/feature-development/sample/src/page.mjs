/** A page for a reader. */
export function page(title, { size }) {
  return `<!doctype html>\n<html data-size="${size}">\n<title>${title}</title>\n`;
}
