import type { Log } from '#kernel/log.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { type Generator, type Source, usable } from './generator.ts'
import { addressesOf } from './sentences.ts'

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
