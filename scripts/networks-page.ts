import { defaultOptions, type NetworkManifest, type ProfileKind } from '#networks/connector/manifest.ts'
import type { Capability, Feature, TextRule } from '#networks/content/content.ts'
import { manifests } from '#networks/manifests.ts'

const features: [feature: Feature, label: string][] = [
  ['text', 'text only'],
  ['link', 'link'],
  ['image', 'image'],
  ['multiImage', 'several images'],
  ['video', 'video'],
  ['document', 'PDF'],
  ['firstComment', 'first comment'],
  ['reply', 'reply to a comment'],
  ['threadedReply', 'threaded replies'],
  ['replyMedia', 'media in replies'],
  ['directMessage', 'direct messages'],
  ['like', 'like'],
  ['remove', 'delete a post'],
  ['audience', 'audience targeting'],
  ['reshare', 'repost'],
  ['push', 'webhooks of the network'],
  ['postMetrics', 'post metrics'],
  ['followers', 'followers'],
]

/** The capability and limit tables of docs/networks.md, one column per profile kind, from the manifests. */
export function networkTables(): string {
  const columns = manifests.flatMap((manifest) => manifest.profileKinds.map((kind) => columnOf(manifest, kind)))
  const heading = `| | ${columns.map(({ title }) => title).join(' | ')} |\n|---|${columns.map(() => '---|').join('')}`
  const notes: string[] = []
  const cell = (capability: Capability) => {
    if (typeof capability === 'string') return capability === 'yes' ? 'yes' : '–'
    if (!notes.includes(capability.gated)) notes.push(capability.gated)
    return `(${notes.indexOf(capability.gated) + 1})`
  }
  const can = features.map(([feature, label]) => {
    const cells = columns.map(({ capabilities }) => cell(capabilities[feature]))
    return `| ${label} | ${cells.join(' | ')} |`
  })
  const row = (label: string, of: (limit: (typeof columns)[number]['limits']) => string) =>
    `| ${label} | ${columns.map(({ limits }) => of(limits)).join(' | ')} |`
  return [
    heading,
    ...can,
    '',
    ...notes.map((note, index) => `${index + 1}. ${note}`),
    '',
    '## Content limits',
    '',
    heading,
    row('text', ({ text }) => rule(text)),
    row('title', ({ title }) => rule(title)),
    row('comment', ({ comment }) => rule(comment)),
    row('message', ({ message }) => rule(message)),
    row('images', ({ images }) => String(images.max || '–')),
    row('maximum image size', ({ images }) => size(images.rule?.maxBytes)),
    row('image types', ({ images }) => types(images.rule?.mimes)),
    row('maximum video size', ({ videos }) => size(videos.rule?.bytes.max)),
    row('video length in seconds', ({ videos }) => range(videos.rule?.seconds)),
    row('video types', ({ videos }) => types(videos.rule?.mimes)),
    row('maximum PDF size', ({ document }) => size(document?.maxBytes)),
    '',
  ].join('\n')
}

/** For an app without any approved permissions. */
function columnOf(manifest: NetworkManifest, kind: ProfileKind) {
  const { name, profileKinds, limits, capabilities } = manifest
  const facts = { kind, scopes: [], options: defaultOptions(manifest) }
  return {
    title: profileKinds.length > 1 ? `${name} ${kind}` : name,
    limits: manifest.limitsOf?.(facts) ?? limits,
    capabilities: manifest.capabilitiesOf?.(facts) ?? capabilities,
  }
}

const rule = (text: TextRule | undefined) =>
  text
    ? `${text.max.toLocaleString('en')}${text.unit === 'utf8' ? ' bytes' : text.unit === 'x-weighted' ? ' (weighted)' : ''}`
    : '–'

const size = (bytes: number | undefined) => {
  if (bytes === undefined) return '–'
  return bytes >= 1e9 ? `${Math.round(bytes / 1e9)} GB` : `${Math.round(bytes / 1e6)} MB`
}

const range = ({ min = 0, max }: { min?: number; max?: number } = {}) => (max === undefined ? '–' : `${min} to ${max}`)

const types = (mimes: readonly string[] | undefined) =>
  mimes?.map((mime) => mime.replace(/^(image|video)\//, '')).join(', ') ?? '–'
