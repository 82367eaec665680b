import { type Generator, type Source, usable } from './generator.ts'
import { addressesOf, saysMore, sentencesIn } from './sentences.ts'

/** More sentences than that make no more of a difference. */
const mostSentences = 12
/** A shorter one says nothing by itself. */
const shortest = 15

/**
 * Variations out of the source's own sentences, in their order: one of them, some of them, all of them. Nothing is said that the source does
 * not say, and nobody outside is asked.
 */
export const ownWords: Generator = {
  generate: async (source) => usable(source, variationsOf(source)),
}

function variationsOf(source: Source): string[] {
  const { title, text, link, seed } = source
  const sentences = told([title, text].flatMap(sentencesIn)).slice(0, mostSentences)
  const address = link || addressesOf(text)[0] || ''
  const withLink = (said: string) => (address === '' || said.includes(address) ? said : `${said} ${address}`)
  const [whole, ...parts] = [sentences, ...partsOf(sentences)].map((some) => some.join(' '))
  // The whole comes first, as the original was meant.
  return [whole ?? '', ...shuffled(parts, seed)].filter(Boolean).map(withLink)
}

/** Sentences that say something by themselves, each once. */
function told(sentences: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const sentence of sentences.filter(saysMore))
    if (sentence.length >= shortest && !seen.has(sentence.toLowerCase())) seen.set(sentence.toLowerCase(), sentence)
  return [...seen.values()]
}

/** Each sentence alone, each two, and each three that follow each other. */
const partsOf = (sentences: readonly string[]): string[][] =>
  sentences.flatMap((one, at) => [
    [one],
    ...sentences.slice(at + 1).map((other) => [one, other]),
    ...(at + 3 <= sentences.length ? [sentences.slice(at, at + 3)] : []),
  ])

/** Always in the same order for the same seed. */
function shuffled<Value>(values: readonly Value[], seed: string): Value[] {
  const mixed = [...values]
  let state = [...seed].reduce((sum, sign) => (Math.imul(sum, 31) + (sign.codePointAt(0) ?? 0)) >>> 0, 2166136261)
  for (let at = mixed.length - 1; at > 0; at--) {
    // The well-known multiplier and increment of a linear generator modulo 2^32; its upper bits are the better ones.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const other = Math.floor((state / 2 ** 32) * (at + 1))
    ;[mixed[at], mixed[other]] = [mixed[other] as Value, mixed[at] as Value]
  }
  return mixed
}
