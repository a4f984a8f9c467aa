/** The name of a run's main channel: its template with `{{id}}` filled in. */
export function channelNameOf(template: string, run: string): string {
  return template.replaceAll(/\{\{\s*id\s*\}\}/g, run);
}
