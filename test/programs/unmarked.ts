/** A prompt without the marks around what others wrote; fails when one does not end, or the notice is missing. */
export function unmarked(prompt: string): string {
  const notice =
    /^Between <<<(span_[0-9a-f]{32}) and >>>\1 stands [^\n]*\n\n|\n\nBetween <<<(span_[0-9a-f]{32}) and >>>\2 stands [^\n]*$/;
  const [, first, last] = notice.exec(prompt) ?? [];
  const boundary = first ?? last;
  if (boundary === undefined) return prompt;
  const text = prompt
    .replace(notice, "")
    .replace(
      new RegExp(`<<<${boundary} [^\\n]*?:([ \\n])([\\s\\S]*?)\\1>>>${boundary}`, "g"),
      "$2",
    );
  if (text.includes(boundary)) throw new Error(`a mark of ${boundary} stands alone in: ${prompt}`);
  return text;
}
