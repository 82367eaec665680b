import type { Log } from '#kernel/log.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { contentProblems } from '#networks/content/content-check.ts'
import { urlsIn } from '#networks/content/text-urls.ts'
import type { Network } from '#networks/manifests.ts'

/** Input of message generation. */
export interface Source {
  /** The same source and seed produce the same texts. */
  seed: string
  title: string
  /** The only content: nothing may be added to it. */
  text: string
  /** Link of the story; empty for reposts, which carry their own. */
  link: string
  network: Network
  /** Maximum number of texts. */
  count: number
}

/** Generates distinct texts for advocates to share. Its output is validated like any other text. */
export interface Generator {
  generate(source: Source, signal?: AbortSignal): Promise<string[]>
}

/** Distinct texts that the network accepts, up to the requested number. */
function usable({ network, count }: Source, texts: readonly string[]): string[] {
  const usableTexts = new Map<string, string>()
  for (const text of texts) {
    if (usableTexts.size >= count) break
    const clean = text.trim()
    const key = clean.toLowerCase()
    if (clean === '' || usableTexts.has(key) || contentProblems(network, { text: clean, media: [] }).length > 0)
      continue
    usableTexts.set(key, clean)
  }
  return [...usableTexts.values()]
}

/** Ends a sentence if followed by whitespace or the end of the line. */
const ends = new Set([...'.!?…。！？'])
/** Closing quotation marks and brackets belong to the preceding sentence. */
const closing = new Set([...'"\')]”’»'])

/** Trimmed sentences of a text in order, never splitting a URL. Each character is visited once. */
export function sentencesIn(text: string): string[] {
  const sentences: string[] = []
  const addresses = urlsIn(text)
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

/** Whether it contains more than URLs. */
function hasWords(sentence: string): boolean {
  let rest = sentence
  for (const address of urlsOf(sentence)) rest = rest.replaceAll(address, '')
  return /\p{L}/u.test(rest)
}

/** Distinct URLs of a text. */
const urlsOf = (text: string): string[] => [...new Set([...urlsIn(text)].map(({ from, to }) => text.slice(from, to)))]

const isEnd = (text: string, at: number) => {
  const next = text[endFrom(text, at)]
  return next === undefined || next.trim() === ''
}

function endFrom(text: string, at: number): number {
  let end = at + 1
  while (ends.has(text[end] ?? '') || closing.has(text[end] ?? '')) end++
  return end
}

/** More sentences make no difference. */
const mostSentences = 12
/** Shorter sentences have no meaning on their own. */
const shortest = 15

/**
 * Variations of the source's own sentences in order: one, some or all of them. Adds no content and calls no
 * external service.
 */
export const ownSentences: Generator = {
  generate: async (source) => usable(source, variationsOf(source)),
}

function variationsOf(source: Source): string[] {
  const { title, text, link, seed } = source
  const sentences = meaningfulSentences([title, text].flatMap(sentencesIn)).slice(0, mostSentences)
  const address = link || urlsOf(text)[0] || ''
  const withLink = (parsed: string) => (address === '' || parsed.includes(address) ? parsed : `${parsed} ${address}`)
  const [whole, ...parts] = [sentences, ...partsOf(sentences)].map((some) => some.join(' '))
  // The complete text comes first.
  return [whole ?? '', ...shuffled(parts, seed)].filter(Boolean).map(withLink)
}

/** Distinct meaningful sentences. */
function meaningfulSentences(sentences: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const sentence of sentences.filter(hasWords))
    if (sentence.length >= shortest && !seen.has(sentence.toLowerCase())) seen.set(sentence.toLowerCase(), sentence)
  return [...seen.values()]
}

/** Each sentence alone, and each two and three consecutive ones. */
const partsOf = (sentences: readonly string[]): string[][] =>
  sentences.flatMap((one, at) => [
    [one],
    ...sentences.slice(at + 1).map((other) => [one, other]),
    ...(at + 3 <= sentences.length ? [sentences.slice(at, at + 3)] : []),
  ])

/** Deterministic for a seed. */
function shuffled<Value>(values: readonly Value[], seed: string): Value[] {
  const mixed = [...values]
  let state = [...seed].reduce(
    (sum, character) => (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) >>> 0,
    2166136261,
  )
  for (let at = mixed.length - 1; at > 0; at--) {
    // Linear congruential generator modulo 2^32 with the usual constants; its upper bits are the better ones.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const other = Math.floor((state / 2 ** 32) * (at + 1))
    ;[mixed[at], mixed[other]] = [mixed[other] as Value, mixed[at] as Value]
  }
  return mixed
}

/** A server with the chat completions API that many models offer. */
export interface TextServer {
  /** Base URL: `https://models.example.com/v1`. */
  url: string
  model: string
  key: string | undefined
}

const requestTimeout = 30_000
const maximumResponse = 256 * 1024
const longestSource = 4_000

/**
 * Queries a language model. Its output is untrusted: only texts that the network accepts and that link nowhere else than the source
 * are kept. If none are left, or the server fails, `otherwise` generates the texts.
 */
export const remoteGenerator = (
  server: TextServer,
  { outbound, log }: { outbound: Outbound; log: Pick<Log, 'warn'> },
  otherwise: Generator,
): Generator => ({
  async generate(source, signal) {
    try {
      const texts = usable(source, withoutOtherLinks(source, await requestTexts(server, outbound, source, signal)))
      if (texts.length > 0) return texts
      log.warn({ seed: source.seed }, 'the text server gave nothing that can be used')
    } catch (error) {
      log.warn({ seed: source.seed, err: error }, 'the text server did not answer as it should')
    }
    return otherwise.generate(source, signal)
  },
})

async function requestTexts({ url, model, key }: TextServer, outbound: Outbound, source: Source, signal?: AbortSignal) {
  const { status, body, truncated } = await outbound.send({
    method: 'POST',
    url: `${url}/chat/completions`,
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, temperature: 0.7, messages: conversation(source) }),
    timeoutMs: requestTimeout,
    maximumBytes: maximumResponse,
    ...(signal && { signal }),
  })
  if (status !== 200 || truncated) throw new Error(`It answered ${status}${truncated ? ', and too much' : ''}.`)
  return textsIn(body.toString('utf8'))
}

const conversation = ({ title, text, link, network, count }: Source) => [
  {
    role: 'system',
    content: `You rewrite a company's post so that employees can share it on ${network} in their own voice. Use only facts that stand in the post. Give ${count} different texts as a JSON array of strings and nothing else.`,
  },
  { role: 'user', content: JSON.stringify({ title, text: text.slice(0, longestSource), link }) },
]

/** The JSON array in a model's output, ignoring text around it. */
function textsIn(response: string): string[] {
  const parsed = (JSON.parse(response) as { choices?: { message?: { content?: unknown } }[] }).choices?.[0]?.message
    ?.content
  if (typeof parsed !== 'string') throw new Error('It answered without a text.')
  const texts: unknown = JSON.parse(parsed.slice(parsed.indexOf('['), parsed.lastIndexOf(']') + 1))
  if (!Array.isArray(texts)) throw new Error('It answered without a list of texts.')
  return texts.filter((text) => typeof text === 'string')
}

/** A model may invent URLs; texts with them are dropped. */
function withoutOtherLinks({ text, link }: Source, texts: readonly string[]): string[] {
  const known = new Set([...urlsOf(text), ...urlsOf(link), link])
  return texts.filter((one) => urlsOf(one).every((address) => known.has(address)))
}
