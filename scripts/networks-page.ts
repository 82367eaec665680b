import { openOutbound } from '#kernel/outbound/outbound.ts'
import { sandboxApps } from '#main/network-apps.ts'
import type { Actor } from '#networks/actor.ts'
import type { Connector } from '#networks/connector.ts'
import type { Capability, Feature, TextRule } from '#networks/limits.ts'
import type { Network } from '#networks/network.ts'
import { openNetworks } from '#networks/networks.ts'

const columns: [title: string, network: Network, kind: Actor['kind']][] = [
  ['Facebook', 'Facebook', 'page'],
  ['Instagram', 'Instagram', 'account'],
  ['LinkedIn page', 'LinkedIn', 'page'],
  ['LinkedIn member', 'LinkedIn', 'member'],
  ['X', 'Twitter', 'account'],
  ['YouTube', 'YouTube', 'channel'],
  ['TikTok', 'TikTok', 'account'],
]

const features: [feature: Feature, words: string][] = [
  ['text', 'text alone'],
  ['link', 'link'],
  ['image', 'picture'],
  ['multiImage', 'several pictures'],
  ['video', 'video'],
  ['document', 'PDF'],
  ['firstComment', 'first comment'],
  ['reply', 'answer to a comment'],
  ['threadedReply', 'answers in threads'],
  ['replyMedia', 'media in answers'],
  ['directMessage', 'direct messages'],
  ['like', 'like'],
  ['remove', 'delete a post'],
  ['audience', 'audience of a post'],
  ['reshare', 'share a post again'],
  ['push', 'told by the network at once'],
  ['postMetrics', 'numbers of posts'],
  ['followers', 'followers'],
]

/** The two tables of docs/networks.md, from what the connectors themselves say. */
export async function networkTables(): Promise<string> {
  const outbound = openOutbound({ allow: [] })
  const networks = openNetworks(realTiers(), { outbound, clock: { now: () => new Date(0) } })
  const heading = `| | ${columns.map(([title]) => title).join(' | ')} |\n|---|${columns.map(() => '---|').join('')}`
  const subjects = columns.map(([, network, kind]) => ({
    connector: networks.connector(network) as Connector,
    actor: { network, kind, remoteId: '', username: '', secret: { accessToken: '', scopes: [] } },
  }))
  const notes: string[] = []
  const cell = (capability: Capability) => {
    if (typeof capability === 'string') return capability === 'yes' ? 'yes' : '–'
    if (!notes.includes(capability.gated)) notes.push(capability.gated)
    return `(${notes.indexOf(capability.gated) + 1})`
  }
  const can = features.map(([feature, words]) => {
    const cells = subjects.map(({ connector, actor }) => cell(connector.capabilities(actor)[feature]))
    return `| ${words} | ${cells.join(' | ')} |`
  })
  const limits = subjects.map(({ connector, actor }) => connector.limits(actor))
  const row = (words: string, of: (limit: (typeof limits)[number]) => string) =>
    `| ${words} | ${limits.map(of).join(' | ')} |`
  await outbound.close()
  return [
    heading,
    ...can,
    '',
    ...notes.map((note, index) => `${index + 1}. ${note}`),
    '',
    '## What they take',
    '',
    heading,
    row('text', ({ text }) => rule(text)),
    row('title', ({ title }) => rule(title)),
    row('comment', ({ comment }) => rule(comment)),
    row('message', ({ message }) => rule(message)),
    row('pictures', ({ images }) => String(images.max || '–')),
    row('picture up to', ({ images }) => size(images.rule?.maxBytes)),
    row('types of pictures', ({ images }) => types(images.rule?.mimes)),
    row('video up to', ({ videos }) => size(videos.rule?.bytes.max)),
    row('seconds of video', ({ videos }) => range(videos.rule?.seconds)),
    row('types of video', ({ videos }) => types(videos.rule?.mimes)),
    row('PDF up to', ({ document }) => size(document?.maxBytes)),
    '',
  ].join('\n')
}

/** As an app has them that nobody has approved for anything yet. */
function realTiers() {
  const apps = sandboxApps('http://127.0.0.1')
  return {
    ...apps,
    LinkedIn: { ...apps.LinkedIn, options: { messages: 'no' } },
    Twitter: { ...apps.Twitter, options: { tier: 'self-serve' } },
  }
}

const rule = (text: TextRule | undefined) =>
  text
    ? `${text.max.toLocaleString('en')}${text.unit === 'utf8' ? ' bytes' : text.unit === 'x-weighted' ? ' (weighed)' : ''}`
    : '–'

const size = (bytes: number | undefined) => {
  if (bytes === undefined) return '–'
  return bytes >= 1e9 ? `${Math.round(bytes / 1e9)} GB` : `${Math.round(bytes / 1e6)} MB`
}

const range = ({ min = 0, max }: { min?: number; max?: number } = {}) => (max === undefined ? '–' : `${min} to ${max}`)

const types = (mimes: readonly string[] | undefined) =>
  mimes?.map((mime) => mime.replace(/^(image|video)\//, '')).join(', ') ?? '–'
