/** Where something that hangs on something else stands: below it where there is room, else above, and never outside the window. */
export function place(floating: HTMLElement, anchor: Element, side: 'start' | 'end' | 'center' = 'start'): void {
  const [at, size] = [anchor.getBoundingClientRect(), floating.getBoundingClientRect()]
  const [width, height] = [document.documentElement.clientWidth, document.documentElement.clientHeight]
  const below = at.bottom + gap
  const above = at.top - gap - size.height
  const fits = below + size.height <= height - edge || above < edge
  const isRight = (side === 'end') !== (getComputedStyle(floating).direction === 'rtl')
  const left = side === 'center' ? at.left + (at.width - size.width) / 2 : isRight ? at.right - size.width : at.left
  floating.style.insetBlockStart = `${Math.max(edge, Math.min(fits ? below : above, height - edge - size.height))}px`
  floating.style.left = `${Math.max(edge, Math.min(left, width - edge - size.width))}px`
}

const gap = 6
const edge = 8
