import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

const KEYS: readonly (readonly [string, string])[] = [
  ["← →", "one event back or on"],
  [
    "Shift ← →",
    "previous or next marker: a person is asked (▲), a failure (✖), a document is written",
  ],
  ["Space", "play or pause"],
  ["Home End", "beginning or end of the run"],
  ["1 to 8", "the pages, in their order"],
  ["↑ ↓", "between the rows of a table, once a link in it has the focus"],
  ["?", "this help"],
];

/** The keys of the page. */
export function HelpDialog({
  isOpen,
  onClose,
}: {
  isOpen: boolean;
  onClose: () => void;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
