type Headers = Readonly<Record<string, string | undefined>>

export interface ContentRange {
  first: number
  last: number
  total: number
}

/** Which part of how much an answer carries; nothing unless it says so completely. */
export function readContentRange(headers: Headers): ContentRange | undefined {
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(headers['content-range'] ?? '') ?? []
  return total === undefined ? undefined : { first: Number(first), last: Number(last), total: Number(total) }
}

/** The size of the file according to an answer that says that the range asked for lies behind its end. */
export function readUnsatisfied(headers: Headers): number | undefined {
  const [, total] = /^bytes \*\/(\d{1,15})$/i.exec(headers['content-range'] ?? '') ?? []
  return total === undefined ? undefined : Number(total)
}

export function readLength(headers: Headers): number | undefined {
  const length = headers['content-length'] ?? ''
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined
}
