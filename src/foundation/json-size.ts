/**
 * Whether a JSON text holds more than so many values, counted without reading them: a short text of small values takes
 * many times its size. A text that is no JSON gets some answer.
 */
export function hasMoreValues(json: string, most: number): boolean {
  let values = 1;
  for (let at = 0; at < json.length && values <= most; at += 1) {
    const char = json[at];
    if (char === '"') at = endOfText(json, at);
    // Every value but the outermost follows one of these.
    else if (char === "," || char === "[" || char === ":") values += 1;
  }
  return values > most;
}

/** Where the text that begins at a quotation mark ends. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return json.length;
}
