import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

interface Window {
  /** The rows to draw. */
  from: number
  until: number
  /** The height of those that are not, above and below. */
  before: number
  after: number
  /** Brings a row into sight. */
  reveal: (index: number) => void
}

const spare = 8

/** Which of many rows of one height are in sight. The height is that of `--row`, and the head of a table covers one. */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number): Window {
  const [seen, setSeen] = useState({ from: 0, until: 40, row: 36 })
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const look = () => {
      const row = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) * rootSize() || 36
      const from = Math.max(0, Math.floor(element.scrollTop / row) - spare)
      const until = Math.ceil((element.scrollTop + element.clientHeight) / row) + spare
      setSeen((last) => (last.from === from && last.until === until && last.row === row ? last : { from, until, row }))
    }
    look()
    const sized = new ResizeObserver(look)
    sized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      sized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [scroller])
  const { row } = seen
  const from = Math.min(seen.from, Math.max(0, count - 1))
  const until = Math.min(seen.until, count)
  // Another list begins at its top.
  useEffect(() => {
    if (count === 0) scroller.current?.scrollTo({ top: 0 })
  }, [count, scroller])
  return {
    ...{ from, until, before: from * row, after: Math.max(0, count - until) * row },
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

const rootSize = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
