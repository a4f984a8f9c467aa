import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { useViewport } from "./use-size.ts";

/** A column; `isWide` ones are left out on narrow pages. */
export interface Column {
  readonly name: string;
  readonly title: string;
  readonly isWide?: boolean;
}

export interface VirtualTableProps {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly count: number;
  /** In px; the same for all. */
  readonly rowHeight: number;
  /** The cells of a row, one per column. */
  readonly cells: (index: number) => readonly JSX.Element[];
  readonly rowClass?: (index: number) => string;
  /** The row that is marked; -1 for none. Brought into view whenever it becomes another one. */
  readonly selected?: number;
  /** A row that is brought into view whenever it becomes another one. */
  readonly follow?: number;
  /** What stands in the place of rows when there are none. */
  readonly empty: string;
}

const OVERSCAN_ROWS = 6;
const HEAD_PX = 34;

/** A table of any length of which only the rows in view are in the page. Up and down move between its links. */
export function VirtualTable(props: VirtualTableProps): JSX.Element {
  const { label, columns, count, rowHeight, cells, rowClass, empty } = props;
  const [scroller, { height, top }] = useViewport<HTMLDivElement>();
  const first = Math.max(0, Math.floor(top / rowHeight) - OVERSCAN_ROWS);
  const shown = Math.ceil((height || 600) / rowHeight) + 2 * OVERSCAN_ROWS;
  const last = Math.min(count, first + shown);
  const show = (row: number | undefined) => {
    const { current } = scroller;
    if (current === null || row === undefined || row < 0) return;
    const place = row * rowHeight;
    const room = current.clientHeight - HEAD_PX - rowHeight;
    if (place < current.scrollTop) current.scrollTop = place;
    else if (place > current.scrollTop + room) current.scrollTop = place - room;
  };
  useLayoutEffect(() => show(props.follow), [props.follow]);
  useLayoutEffect(() => show(props.selected), [props.selected]);
  if (count === 0) return <p class="empty">{empty}</p>;
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, offset) => first + offset);
  return (
    <section class="scroller" ref={scroller} tabIndex={0} aria-label={label} onKeyDown={moveFocus}>
      <table aria-rowcount={count + 1}>
        <thead>
          <tr>
            {columns.map(({ name, title, isWide }) => (
              <th key={name} scope="col" class={columnClass(name, isWide)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} rowHeight={rowHeight} />
          {rows.map((index) => (
            <tr
              key={index}
              aria-rowindex={index + 2}
              class={index === props.selected ? "selected" : (rowClass?.(index) ?? "")}
              style={{ height: `${rowHeight}px` }}
            >
              {cells(index).map((cell, column) => {
                const { name = "", isWide } = columns[column] ?? {};
                return (
                  <td key={name} class={columnClass(name, isWide)}>
                    {cell}
                  </td>
                );
              })}
            </tr>
          ))}
          <Spacer rows={count - last} rowHeight={rowHeight} />
        </tbody>
      </table>
    </section>
  );
}

function Spacer({ rows, rowHeight }: { rows: number; rowHeight: number }): JSX.Element | null {
  if (rows <= 0) return null;
  return <tr aria-hidden style={{ height: `${rows * rowHeight}px` }} />;
}

function columnClass(name: string, isWide: boolean | undefined): string {
  return isWide === true ? `col-${name} wide` : `col-${name}`;
}

function moveFocus(event: KeyboardEvent): void {
  const focused = document.activeElement?.closest("tr");
  if (focused === null || focused === undefined) return;
  const { key } = event;
  if (key !== "ArrowDown" && key !== "ArrowUp") return;
  const row = key === "ArrowDown" ? focused.nextElementSibling : focused.previousElementSibling;
  const link = row?.querySelector("a");
  if (link === null || link === undefined) return;
  event.preventDefault();
  link.focus();
}
