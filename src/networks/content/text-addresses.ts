/** A name in a text that reads like an address, with what follows it up to where a reader would see it end. */
export interface TextAddress {
  from: number
  to: number
  hasScheme: boolean
  host: string
  /** The last word of the host. */
  zone: string
  path: string
}

/**
 * Every name with dots in it that could be an address, with a scheme or without. Texts come from outside, so each sign is looked at
 * a few times and no more; an expression that says the same would look at the rest of the text from every place in it.
 */
export function* addressesIn(text: string): Generator<TextAddress> {
  let run = noRun
  for (let at = 0; at < text.length; at++) {
    if (!isNameSign(text.charCodeAt(at)) || isBlocking(text.charCodeAt(at - 1))) continue
    const from = at + matchAt(scheme, text, at).length
    if (from >= run.end) run = readRun(text, from)
    const word = wordAt(run, from)
    const name = word && isLabel(text, from, word.to) ? word.next : undefined
    if (!name) {
      // Nothing begins in this word any more, unless it is a label that ends it, or a scheme.
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
      zone: text.slice(name.zone, name.end),
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

/** Words with dots between them, up to the first sign that is neither. */
interface Run {
  end: number
  words: Word[]
}

interface Word {
  from: number
  to: number
  /** How a name ends that goes on behind the dot after this word; nothing when none can. */
  next: NameEnd | undefined
}

/** Where the last word of a name begins and ends. */
interface NameEnd {
  zone: number
  end: number
}

const noRun: Run = { end: 0, words: [] }
/** No label of a name has more signs. */
const longestLabel = 63
const longestScheme = 'https'.length

/** Looked through from its end once, because many names may begin in one run. */
function readRun(text: string, from: number): Run {
  const words: Word[] = []
  let end = from
  for (let start = from; ; start = end + 1) {
    end = start
    while (isLabelSign(text.charCodeAt(end))) end++
    words.push({ from: start, to: end, next: undefined })
    if (text[end] !== '.') break
  }
  let next: NameEnd | undefined
  for (const word of words.toReversed()) {
    word.next = next
    next = (isLabel(text, word.from, word.to) ? word.next : undefined) ?? zoneAt(text, word.from)
  }
  return { end, words: words.reverse() }
}

function wordAt({ words }: Run, at: number): Word | undefined {
  // The words stand in reverse: those that were passed are no longer needed.
  while (words.length > 0 && (words.at(-1) as Word).to < at) words.pop()
  return words.at(-1)
}

const isLabel = (text: string, from: number, to: number) =>
  to > from && to - from <= longestLabel && isNameSign(text.charCodeAt(from)) && isNameSign(text.charCodeAt(to - 1))

/** Two letters or more, with nothing behind them that would belong to the word. */
function zoneAt(text: string, from: number): NameEnd | undefined {
  let end = from
  while (isLetter(text.charCodeAt(end))) end++
  return end - from >= 2 && !'0123456789@_-'.includes(text[end] ?? ' ') ? { zone: from, end } : undefined
}

/** The end of a sentence is no part of an address, nor is a bracket that was opened before it. */
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
/** What a label begins and ends with: also the letters of Latin scripts. */
const isNameSign = (code: number) => isLetter(code) || isDigit(code) || (code >= 0xa1 && code <= 0x24f)
const isLabelSign = (code: number) => isNameSign(code) || code === 0x5f || code === 0x2d

const blocking = new Set([...'@＠$#＃_./-'].map((sign) => sign.charCodeAt(0)))
/** What stands before an address makes it a part of something else. */
const isBlocking = (code: number) => isLetter(code) || isDigit(code) || blocking.has(code)
