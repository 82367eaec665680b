/** Times in milliseconds. */
export interface Figures {
  count: number
  p50: number
  p99: number
  slowest: number
}

export function figuresOf(times: readonly number[]): Figures {
  const sorted = [...times].sort((one, other) => one - other)
  const at = (part: number) => tenths(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0)
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), slowest: at(1) }
}

const tenths = (value: number) => Math.round(value * 10) / 10
