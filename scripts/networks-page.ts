import { type NetworkManifest, type ProfileKind, standardOptions } from '#networks/connector/manifest.ts'
import type { Capability, Feature, TextRule } from '#networks/content/limits.ts'
import { manifests } from '#networks/manifests.ts'

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

/** The two tables of docs/networks.md, from what the manifests say of each kind of profile. */
export function networkTables(): string {
  const columns = manifests.flatMap((manifest) => manifest.profileKinds.map((kind) => columnOf(manifest, kind)))
  const heading = `| | ${columns.map(({ title }) => title).join(' | ')} |\n|---|${columns.map(() => '---|').join('')}`
  const notes: string[] = []
  const cell = (capability: Capability) => {
    if (typeof capability === 'string') return capability === 'yes' ? 'yes' : '–'
    if (!notes.includes(capability.gated)) notes.push(capability.gated)
    return `(${notes.indexOf(capability.gated) + 1})`
  }
  const can = features.map(([feature, words]) => {
    const cells = columns.map(({ capabilities }) => cell(capabilities[feature]))
    return `| ${words} | ${cells.join(' | ')} |`
  })
  const row = (words: string, of: (limit: (typeof columns)[number]['limits']) => string) =>
    `| ${words} | ${columns.map(({ limits }) => of(limits)).join(' | ')} |`
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

/** As an app has it that nobody has approved for anything yet. */
function columnOf(manifest: NetworkManifest, kind: ProfileKind) {
  const { name, profileKinds, limits, capabilities } = manifest
  const facts = { kind, scopes: [], options: standardOptions(manifest) }
  return {
    title: profileKinds.length > 1 ? `${name} ${kind}` : name,
    limits: manifest.limitsOf?.(facts) ?? limits,
    capabilities: manifest.capabilitiesOf?.(facts) ?? capabilities,
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
