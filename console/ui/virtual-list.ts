import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react'

interface VirtualRows {
  /** Range of rows to render. */
  from: number
  until: number
  /** Height of the rows not rendered, above and below. */
  before: number
  after: number
  /** Scrolls a row into view. */
  reveal: (index: number) => void
}

const overscan = 8

/** The visible range of rows of equal height. The height is `--row`; the header of a table covers one row. */
export function useVirtualRows(scroller: RefObject<HTMLElement | null>, count: number): VirtualRows {
  const [visibleRange, setVisibleRange] = useState({ from: 0, until: 40, row: 36 })
  const measure = useCallback((element: HTMLElement) => {
    const row = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) * rootSize() || 36
    const visibleRange = { row, ...visibleRows(element, row, overscan) }
    setVisibleRange((last) =>
      last.from === visibleRange.from && last.until === visibleRange.until && last.row === row ? last : visibleRange,
    )
  }, [])
  useScrollPosition(scroller, measure)
  const { row } = visibleRange
  const from = Math.min(visibleRange.from, Math.max(0, count - 1))
  const until = Math.min(visibleRange.until, count)
  // A new list starts at the top.
  useEffect(() => {
    if (count === 0) scroller.current?.scrollTo({ top: 0 })
  }, [count, scroller])
  return {
    from,
    until,
    before: from * row,
    after: Math.max(0, count - until) * row,
    reveal(index) {
      const element = scroller.current
      if (!element) return
      const top = index * row
      if (top < element.scrollTop) element.scrollTo({ top })
      else if (top + 2 * row > element.scrollTop + element.clientHeight)
        element.scrollTo({ top: top + 2 * row - element.clientHeight })
    },
  }
}

/** Calls `look` initially and after every scroll or resize. */
export function useScrollPosition(scroller: RefObject<HTMLElement | null>, measure: (element: HTMLElement) => void) {
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const update = () => measure(element)
    update()
    const sized = new ResizeObserver(update)
    sized.observe(element)
    element.addEventListener('scroll', update, { passive: true })
    return () => {
      sized.disconnect()
      element.removeEventListener('scroll', update)
    }
  }, [scroller, measure])
}

/** The visible rows of equal height, with overscan above and below. */
export const visibleRows = ({ scrollTop, clientHeight }: HTMLElement, row: number, spare: number) => ({
  from: Math.max(0, Math.floor(scrollTop / row) - spare),
  until: Math.ceil((scrollTop + clientHeight) / row) + spare,
})

/** Pixels per rem. */
export const rootSize = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
