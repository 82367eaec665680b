/** A value at a time, in hours. */
export interface Point {
  at: number
  value: number
}

/** Slope of a least-squares line per hour, and its standard error. */
export interface Trend {
  slope: number
  error: number
  /** Whether the slope is within two standard errors of zero. */
  isFlat: boolean
}

export function trendOf(points: readonly Point[]): Trend {
  const at = meanOf(points.map((point) => point.at))
  const value = meanOf(points.map((point) => point.value))
  const spread = sumOf(points.map((point) => (point.at - at) ** 2))
  const slope = sumOf(points.map((point) => (point.at - at) * (point.value - value))) / spread
  const rest = sumOf(points.map((point) => (point.value - value - slope * (point.at - at)) ** 2))
  const error = Math.sqrt(rest / (points.length - 2) / spread)
  return { slope, error, isFlat: Math.abs(slope) <= 2 * error }
}

/** Means of consecutive blocks: neighbouring samples are alike, so a line through them would seem more certain than it is. */
export function blockMeans(points: readonly Point[], hoursEach: number): Point[] {
  const blocks = new Map<number, Point[]>()
  for (const point of points) {
    const number = Math.floor(point.at / hoursEach)
    const block = blocks.get(number)
    if (block) block.push(point)
    else blocks.set(number, [point])
  }
  return [...blocks.values()].map((block) => ({
    at: meanOf(block.map((point) => point.at)),
    value: meanOf(block.map((point) => point.value)),
  }))
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
const meanOf = (values: readonly number[]) => sumOf(values) / values.length
