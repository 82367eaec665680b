import { addressesIn } from '#networks/content/text-addresses.ts'

/** What ends a sentence, if a blank or the end of the line follows. */
const ends = new Set([...'.!?…。！？'])
/** Quotation marks and brackets that close belong to the sentence before them. */
const closing = new Set([...'"\')]”’»'])

/** The sentences of a text, in their order, without blanks around them. An address is never cut. Every sign is looked at once. */
export function sentencesIn(text: string): string[] {
  const sentences: string[] = []
  const addresses = addressesIn(text)
  let address = addresses.next().value
  let from = 0
  const close = (to: number) => {
    const sentence = text.slice(from, to).trim()
    if (sentence !== '') sentences.push(sentence)
    from = to
  }
  for (let at = 0; at < text.length; at++) {
    while (address && address.to <= at) address = addresses.next().value
    if (address && address.from <= at) continue
    if (text[at] === '\n') close(at)
    else if (ends.has(text[at] as string) && isEnd(text, at)) close(endFrom(text, at))
  }
  close(text.length)
  return sentences
}

/** Whether somebody says something in it, beside naming addresses. */
export function saysMore(sentence: string): boolean {
  let rest = sentence
  for (const address of addressesOf(sentence)) rest = rest.replaceAll(address, '')
  return /\p{L}/u.test(rest)
}

/** The addresses of a text, each once. */
export const addressesOf = (text: string): string[] => [
  ...new Set([...addressesIn(text)].map(({ from, to }) => text.slice(from, to))),
]

const isEnd = (text: string, at: number) => {
  const next = text[endFrom(text, at)]
  return next === undefined || next.trim() === ''
}

function endFrom(text: string, at: number): number {
  let end = at + 1
  while (ends.has(text[end] ?? '') || closing.has(text[end] ?? '')) end++
  return end
}
