/** A URL in a text, with its position. */
interface TextLink {
  from: number
  to: number
  url: string
}

/** Every http(s) URL in a text, up to where a reader would see it end. */
export function linksIn(text: string): TextLink[] {
  const found: TextLink[] = []
  start.lastIndex = 0
  for (let match = start.exec(text); match; match = start.exec(text)) {
    const from = match.index
    const to = endOf(text, from + match[0].length)
    if (to === undefined) continue
    found.push({ from, to, url: text.slice(from, to) })
    start.lastIndex = to
  }
  return found
}

/** The text with known URLs replaced. */
export function withLinks(text: string, shorts: ReadonlyMap<string, string>): string {
  let made = ''
  let end = 0
  for (const { from, to, url } of linksIn(text)) {
    made += text.slice(end, from) + (shorts.get(url) ?? url)
    end = to
  }
  return made + text.slice(end)
}

/** Not in the middle of a word: `xhttp://` doesn't match. */
const start = /(?<![a-z0-9+.-])https?:\/\//gi

/** End of the URL whose host starts here; undefined without a host. */
function endOf(text: string, nameFrom: number): number | undefined {
  authority.lastIndex = nameFrom
  const { 0: whole = '', groups = {} } = authority.exec(text) ?? {}
  const name = withoutTrailingText(groups.name ?? '')
  if (!/[\p{L}\p{N}]/u.test(name) && !groups.six) return undefined
  const nameTo = nameFrom + whole.length - (groups.name ?? '').length - (groups.port ?? '').length + name.length
  // If text follows the host directly, there is neither port nor path.
  if (name !== (groups.name ?? '')) return trimmed(text, nameFrom, nameTo)
  const to = nameFrom + whole.length
  return trimmed(text, nameFrom, '/?#'.includes(text[to] ?? ' ') ? trailingEnd(text, to) : to)
}

/** User, host or IPv6 address, and port in one expression. */
const authority =
  /(?:[^\s/?#@<>"`{}|\\^]{1,200}@)?(?:(?<six>\[[0-9a-f:.]{2,45}\])|(?<name>[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}._-]{0,251}[\p{L}\p{M}\p{N}])?))(?<port>:\d{1,5}(?!\d))?/iuy

/** No top-level domain starts with Latin letters and continues in another script: that is the next word of the text. */
function withoutTrailingText(name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  const [latin = ''] = /^[\p{Script=Latin}\p{M}0-9-]*/u.exec(last) ?? []
  return latin === '' || latin === last ? name : name.slice(0, name.length - last.length + latin.length)
}

const closers = new Map([
  [')', '('],
  [']', '['],
])
/** Characters that don't occur in written URLs, including closing and separating ones of other scripts. */
const notInUrl = /[\s\p{Cc}\p{Cf}\p{Zs}<>"`{}|\\^“”„‟‘’‚«»‹›…。、，．！？：；（）「」『』【】《》〈〉｡､]/u

/** Up to the first character that isn't part of it, or a bracket opened before it. */
function trailingEnd(text: string, from: number): number {
  const open: { [opener: string]: number } = { '(': 0, '[': 0 }
  let at = from
  while (at < text.length) {
    const sign = String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (notInUrl.test(sign)) break
    const opener = closers.get(sign)
    if (sign in open) open[sign] = (open[sign] ?? 0) + 1
    if (opener !== undefined && (open[opener] ?? 0) === 0) break
    if (opener !== undefined) open[opener] = (open[opener] ?? 0) - 1
    at += sign.length
  }
  return at
}

/** Sentence punctuation isn't part of a URL, nor is an unbalanced bracket. */
function trimmed(text: string, from: number, to: number): number {
  let end = to
  for (;;) {
    const last = text[end - 1] ?? ''
    if (end <= from) return to
    const isOpened = last === '(' || last === '['
    if (!isOpened && !".,;:!?'*".includes(last)) return end
    end--
  }
}
