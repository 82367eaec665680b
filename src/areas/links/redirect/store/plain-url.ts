/**
 * Whether nothing in an address would be encoded, resolved or left out by taking it apart, and it has neither query nor fragment.
 * In one pass over each part: addresses come from outside, and this is asked of every link.
 */
export function isPlainUrl(url: string): boolean {
  const { host, path } = outline.exec(url)?.groups ?? {}
  return host !== undefined && path !== undefined && isPlainHost(host) && isPlainPath(path)
}

const outline = /^https?:\/\/(?<host>[a-z0-9.-]+)(?<path>\/[\w.~/-]*)$/

/** A name of two labels or more. A label of digits alone after the first could be part of a number that stands for an address. */
function isPlainHost(host: string): boolean {
  // An encoded name may be encoded badly.
  if (host.includes('xn--')) return false
  const [first, ...others] = host.split('.')
  return first !== '' && others.length > 0 && others.every(hasLetter)
}

const hasLetter = (label: string) => /[a-z]/.test(label)

/** No part of it is empty or begins with a dot. */
const isPlainPath = (path: string) => !path.includes('//') && !path.includes('/.')
