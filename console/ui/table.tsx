import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { texts } from '@/i18n/texts.ts'
import { Icon } from './icons.tsx'
import * as styles from './table.module.css'
import { useVirtualRows } from './virtual-list.ts'

export interface Column<Row> {
  id: string
  label: string
  /** Share of the width; fits its content if unset. */
  width?: string
  isNumber?: boolean
  sortable?: boolean
  render: (row: Row) => ReactNode
}

export interface Sorting {
  column: string
  isDescending: boolean
}

interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowId: (row: Row) => string
  rowLabel: (row: Row) => string
  /** The row open in a panel. */
  openId?: string | undefined
  onOpen?: (row: Row) => void
  sorting?: Sorting
  onSort?: (sorting: Sorting) => void
  selected?: ReadonlySet<string>
  onSelect?: (ids: Set<string>) => void
  /** Called near the end of the list, to load more. */
  onEndReached?: () => void
}

/** A virtualized table with rows of equal height and one tab stop: arrows, j and k move, Enter opens, x selects. */
export function Table<Row>(props: TableProps<Row>) {
  const {
    label,
    columns,
    rows,
    rowId: idOf,
    rowLabel: nameOf,
    openId,
    onOpen,
    sorting,
    onSort,
    selected,
    onSelect,
    onEndReached: onNearEnd,
  } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  const { from, until, before, after, reveal } = useVirtualRows(scroller, rows.length)
  const lastPicked = useRef(0)
  /** The row to focus, which may have to be rendered first. */
  const wanted = useRef<number>(undefined)
  useEffect(() => {
    if (until >= rows.length - 5) onNearEnd?.()
  }, [until, rows.length, onNearEnd])
  const focusWanted = () => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)
    if (!row) return
    wanted.current = undefined
    row.focus()
  }
  useLayoutEffect(focusWanted)
  const focus = (index: number) => {
    const next = Math.max(0, Math.min(index, rows.length - 1))
    wanted.current = next
    setAt(next)
    reveal(next)
    focusWanted()
  }
  const pick = (index: number, isRange: boolean) => {
    if (!onSelect || !selected) return
    const picked = new Set(selected)
    const shouldSelect = !picked.has(idOf(rows[index] as Row))
    const [low, high] = isRange
      ? [Math.min(lastPicked.current, index), Math.max(lastPicked.current, index)]
      : [index, index]
    for (const row of rows.slice(low, high + 1)) shouldSelect ? picked.add(idOf(row)) : picked.delete(idOf(row))
    lastPicked.current = index
    onSelect(picked)
  }
  const press = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).closest('input, a, button') || event.ctrlKey || event.metaKey || event.altKey)
      return
    const page = Math.max(1, until - from - 2)
    const steps: { [key: string]: number } = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: page,
      PageUp: -page,
      Home: -at,
      End: rows.length,
    }
    const step = steps[event.key]
    const row = rows[at]
    if (step !== undefined) focus(at + step)
    else if (event.key === 'Enter' && row) onOpen?.(row)
    else if (event.key === 'x' || event.key === ' ') pick(at, event.shiftKey)
    else return
    event.preventDefault()
  }
  // Always a rendered row, also after scrolling or filtering away the last one focused.
  const tabStop = Math.max(from, Math.min(at, until - 1))
  const span = columns.length + (onSelect ? 1 : 0)
  return (
    <div className={styles.scroller} ref={scroller} data-sideways>
      <table
        data-ui="table"
        className={styles.table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows can be focused and opened, as in a grid
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-multiselectable={onSelect ? true : undefined}
        onKeyDown={press}
      >
        <thead>
          <tr>
            {onSelect && (
              <th className={styles.pick}>
                <span className="visually-hidden">{texts.ui.selectAll}</span>
                <input
                  type="checkbox"
                  aria-label={texts.ui.selectAll}
                  checked={rows.length > 0 && selected?.size === rows.length}
                  onChange={({ target }) => onSelect(new Set(target.checked ? rows.map(idOf) : []))}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.id} column={column} sorting={sorting} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Gap height={before} span={span} />}
          {rows.slice(from, until).map((row, offset) => {
            const index = from + offset
            const id = idOf(row)
            return (
              <tr
                key={id}
                data-index={index}
                aria-rowindex={index + 2}
                tabIndex={index === tabStop ? 0 : -1}
                aria-selected={selected ? selected.has(id) : undefined}
                data-open={id === openId || undefined}
                onFocus={() => setAt(index)}
                onClick={({ target, shiftKey }) => {
                  if (!(target as HTMLElement).closest('input, a, button'))
                    shiftKey && onSelect ? pick(index, true) : onOpen?.(row)
                }}
              >
                {onSelect && (
                  <td className={styles.pick}>
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={texts.ui.select(nameOf(row))}
                      checked={selected?.has(id) ?? false}
                      onClick={(event) => pick(index, event.shiftKey)}
                      onChange={() => {}}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <td key={column.id} className={column.isNumber ? styles.number : undefined}>
                    {column.render(row)}
                  </td>
                ))}
              </tr>
            )
          })}
          {after > 0 && <Gap height={after} span={span} />}
        </tbody>
      </table>
    </div>
  )
}

const Gap = ({ height, span }: { height: number; span: number }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: an empty row is not focusable
  <tr aria-hidden="true">
    <td className={styles.gap} colSpan={span} style={{ blockSize: height }} />
  </tr>
)

interface HeadProps<Row> {
  column: Column<Row>
  sorting: Sorting | undefined
  onSort: ((sorting: Sorting) => void) | undefined
}

function Head<Row>({ column: { id, label, width, isNumber, sortable }, sorting, onSort }: HeadProps<Row>) {
  const isSorted = sorting?.column === id
  const direction = isSorted ? (sorting.isDescending ? 'descending' : 'ascending') : undefined
  return (
    <th
      scope="col"
      className={isNumber ? styles.number : undefined}
      style={width ? { inlineSize: width } : undefined}
      aria-sort={direction}
    >
      {sortable && onSort ? (
        <button
          type="button"
          className={styles.sort}
          onClick={() => onSort({ column: id, isDescending: isSorted && !sorting.isDescending })}
        >
          {label}
          {isSorted && <Icon name={sorting.isDescending ? 'down' : 'up'} />}
        </button>
      ) : (
        label
      )}
    </th>
  )
}
