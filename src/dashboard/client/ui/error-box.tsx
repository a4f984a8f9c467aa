import type { JSX } from "preact";
import type { ErrorReport } from "../../../foundation/errors.ts";
import { toVisibleText } from "../../../foundation/printable.ts";

/** What went wrong and what to do about it. */
export function ErrorBox({ error }: { error: ErrorReport }): JSX.Element {
  return (
    <div class="error-box">
      <code class="error-code">{toVisibleText(error.code)}</code>
      <p class="error-text">{toVisibleText(error.message)}</p>
      {error.hint === undefined ? null : <p class="hint">{toVisibleText(error.hint)}</p>}
    </div>
  );
}
