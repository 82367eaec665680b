/** A URL or host name in a text, up to where a reader would see it end. */
export interface TextUrl {
  from: number
  to: number
  hasScheme: boolean
  host: string
  /** Top-level domain. */
  topLevelDomain: string
  path: string
}

/**
 * Finds every dotted name that could be a URL, with or without a scheme. Texts are untrusted, so each character is visited a few
 * times at most; an equivalent regular expression would be quadratic.
 */
export function* urlsIn(text: string): Generator<TextUrl> {
  let run = emptyRun
  for (let at = 0; at < text.length; at++) {
    if (!isNameCharacter(text.charCodeAt(at)) || isBlocking(text.charCodeAt(at - 1))) continue
    const from = at + matchAt(scheme, text, at).length
    if (from >= run.end) run = readRun(text, from)
    const word = wordAt(run, from)
    const name = word && isLabel(text, from, word.to) ? word.next : undefined
    if (!name) {
      // Nothing else starts in this word, except a label that ends it, or a scheme.
      if (word && from === at) at = Math.max(at, word.to - 1 - (word.next ? longestLabel : longestScheme))
      continue
    }
    const tail = matchAt(rest, text, name.end)
    const path = withoutPunctuation(tail)
    const host = text.slice(from, name.end)
    yield {
      from: at,
      to: name.end + path.length,
      hasScheme: from > at,
      host,
      topLevelDomain: text.slice(name.zone, name.end),
      path,
    }
    at = name.end + tail.length - 1
  }
}

const scheme = /https?:\/\//iy
const rest = /(?::\d+)?(?:[/?#][^\s<>"]*)?/y

function matchAt(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at
  return sticky.exec(text)?.[0] ?? ''
}

/** Words separated by dots, up to the first other character. */
interface Run {
  end: number
  words: Word[]
}

interface Word {
  from: number
  to: number
  /** End of a name that continues after the dot behind this word; undefined if none can. */
  next: NameEnd | undefined
}

/** Start and end of a name's last label. */
interface NameEnd {
  zone: number
  end: number
}

const emptyRun: Run = { end: 0, words: [] }
/** Maximum length of a DNS label. */
const longestLabel = 63
const longestScheme = 'https'.length

/** Scanned once from its end, because many names may start in one run. */
function readRun(text: string, from: number): Run {
  const words: Word[] = []
  let end = from
  for (let start = from; ; start = end + 1) {
    end = start
    while (isLabelCharacter(text.charCodeAt(end))) end++
    words.push({ from: start, to: end, next: undefined })
    if (text[end] !== '.') break
  }
  let next: NameEnd | undefined
  for (const word of words.toReversed()) {
    word.next = next
    next = (isLabel(text, word.from, word.to) ? word.next : undefined) ?? topLevelDomainAt(text, word.from)
  }
  return { end, words: words.reverse() }
}

function wordAt({ words }: Run, at: number): Word | undefined {
  // The words are in reverse order; words already passed are no longer needed.
  while (words.length > 0 && (words.at(-1) as Word).to < at) words.pop()
  return words.at(-1)
}

const isLabel = (text: string, from: number, to: number) =>
  to > from &&
  to - from <= longestLabel &&
  isNameCharacter(text.charCodeAt(from)) &&
  isNameCharacter(text.charCodeAt(to - 1))

/** Two letters or more, not followed by another word character. */
function topLevelDomainAt(text: string, from: number): NameEnd | undefined {
  let end = from
  while (isLetter(text.charCodeAt(end))) end++
  return end - from >= 2 && !'0123456789@_-'.includes(text[end] ?? ' ') ? { zone: from, end } : undefined
}

/** Sentence punctuation isn't part of a URL, nor is a closing bracket opened before it. */
function withoutPunctuation(path: string): string {
  let unopened = 0
  for (const sign of path) unopened += sign === ')' ? 1 : sign === '(' ? -1 : 0
  let end = path.length
  for (; end > 0; end--) {
    const last = path[end - 1] as string
    if (last === ')' && unopened > 0) unopened--
    else if (!".,!?:;'’”»…".includes(last)) break
  }
  return path.slice(0, end)
}

const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isDigit = (code: number) => code >= 48 && code <= 57
/** Characters a label starts and ends with, including letters of Latin scripts. */
const isNameCharacter = (code: number) => isLetter(code) || isDigit(code) || (code >= 0xa1 && code <= 0x24f)
const isLabelCharacter = (code: number) => isNameCharacter(code) || code === 0x5f || code === 0x2d

const blocking = new Set([...'@＠$#＃_./-'].map((sign) => sign.charCodeAt(0)))
/** A preceding character that makes the name part of something else. */
const isBlocking = (code: number) => isLetter(code) || isDigit(code) || blocking.has(code)
