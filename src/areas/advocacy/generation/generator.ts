import type { Context } from '#kernel/context.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Log } from '#kernel/log.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { contentProblems } from '#networks/content/content-check.ts'
import { addressesIn } from '#networks/content/text-addresses.ts'
import type { Network } from '#networks/manifests.ts'

/** What messages are made of. */
export interface Source {
  /** The same source with the same seed gives the same texts. */
  seed: string
  title: string
  /** All that may be said: nothing is added to it. */
  text: string
  /** Where the story leads; empty for one that shares a post again, which carries its own. */
  link: string
  network: Network
  /** How many are wanted at most. */
  count: number
}

/** Makes texts that advocates can share, each another. What it gives is checked like anybody's. */
export interface Generator {
  generate(source: Source, signal?: AbortSignal): Promise<string[]>
}

/** Those that the network takes, each once, no more than are wanted. */
function usable({ network, count }: Source, texts: readonly string[]): string[] {
  const kept = new Map<string, string>()
  for (const text of texts) {
    if (kept.size >= count) break
    const clean = text.trim()
    const key = clean.toLowerCase()
    if (clean === '' || kept.has(key) || contentProblems(network, { text: clean, media: [] }).length > 0) continue
    kept.set(key, clean)
  }
  return [...kept.values()]
}

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
function saysMore(sentence: string): boolean {
  let rest = sentence
  for (const address of addressesOf(sentence)) rest = rest.replaceAll(address, '')
  return /\p{L}/u.test(rest)
}

/** The addresses of a text, each once. */
const addressesOf = (text: string): string[] => [
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

/** A server that speaks the chat interface that many models offer. */
export interface TextServer {
  /** Up to where the interface's own paths begin: `https://models.example.com/v1`. */
  url: string
  model: string
  key: string | undefined
}

const patience = 30_000
const longestAnswer = 256 * 1024
const longestSource = 4_000

/**
 * Asks a model. Whatever it says is taken for texts of a stranger: only those are kept that the network takes and that lead nowhere else than
 * the source does. Where nothing is left, or nothing comes, `otherwise` makes the texts.
 */
export const remoteWords = (
  server: TextServer,
  { outbound, log }: { outbound: Outbound; log: Pick<Log, 'warn'> },
  otherwise: Generator,
): Generator => ({
  async generate(source, signal) {
    try {
      const texts = usable(source, leadingNowhereElse(source, await ask(server, outbound, source, signal)))
      if (texts.length > 0) return texts
      log.warn({ seed: source.seed }, 'the text server gave nothing that can be used')
    } catch (error) {
      log.warn({ seed: source.seed, err: error }, 'the text server did not answer as it should')
    }
    return otherwise.generate(source, signal)
  },
})

async function ask({ url, model, key }: TextServer, outbound: Outbound, source: Source, signal?: AbortSignal) {
  const { status, body, truncated } = await outbound.send({
    method: 'POST',
    url: `${url}/chat/completions`,
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, temperature: 0.7, messages: conversation(source) }),
    timeoutMs: patience,
    maximumBytes: longestAnswer,
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

/** The array in what a model says, whatever stands around it. */
function textsIn(answer: string): string[] {
  const said = (JSON.parse(answer) as { choices?: { message?: { content?: unknown } }[] }).choices?.[0]?.message
    ?.content
  if (typeof said !== 'string') throw new Error('It answered without a text.')
  const texts: unknown = JSON.parse(said.slice(said.indexOf('['), said.lastIndexOf(']') + 1))
  if (!Array.isArray(texts)) throw new Error('It answered without a list of texts.')
  return texts.filter((text) => typeof text === 'string')
}

/** A model may make up addresses; nobody is led to one. */
function leadingNowhereElse({ text, link }: Source, texts: readonly string[]): string[] {
  const known = new Set([...addressesOf(text), ...addressesOf(link), link])
  return texts.filter((one) => addressesOf(one).every((address) => known.has(address)))
}

/** What is to be done for a story in the background. */
export interface Preparation {
  accountId: string
  storyId: string
  /** Who asked for it. */
  userId: string
  staysDraft: boolean
  /** Whoever asked may not publish it. */
  needsApproval?: boolean
  generateMessages: boolean
}

export const prepareStoryName = { name: 'advocacy.prepare-story', queue: 'texts' } as const

type Wish = Pick<Preparation, 'staysDraft' | 'needsApproval' | 'generateMessages'>

/** Has a story made ready for whoever asks, once the change stands. */
export const prepareLater = (context: Context, storyId: string, wish: Wish) => {
  const { accountId, userId } = context
  return enqueue(context, prepareStoryName, { accountId, storyId, userId, ...wish })
}
