import type { Capabilities, Content, Feature, Gate } from '#networks/content/content.ts'
import {
  checkPost,
  firstCommentNetwork,
  noAudiences,
  noFirstComment,
  noMessages,
} from '#networks/content/content-check.ts'
import { gateOf } from '#networks/content/gates.ts'
import { clip, link, paper, photo } from '#networks/content/valid.fixture.ts'
import { manifestOf } from '#networks/manifests.ts'
import { rulesFor, type Setup } from './setups.ts'

/** Every kind of content, as the page calls it. */
export const kinds = {
  text: 'text',
  link: 'link',
  image: 'image',
  multiImage: 'images',
  video: 'video',
  document: 'PDF',
  firstComment: 'first comment',
  reply: 'reply',
  threadedReply: 'threaded reply',
  replyMedia: 'reply with an image',
  directMessage: 'message',
  like: 'like',
  remove: 'delete',
  audience: 'audience',
  reshare: 'repost',
} as const satisfies { readonly [feature in Feature]?: string }

export type Kind = keyof typeof kinds
export const kindNames = Object.keys(kinds) as Kind[]

export type Outcome =
  /** It is published; the note names restrictions. */
  | { state: 'works'; note?: string }
  /** Rejected on saving: the network or the contract does not have the feature. */
  | { state: 'refused'; sentence: string }
  /** Rejected on saving, and shown as a gate of the profile. */
  | { state: 'gated'; sentence: string; gate: Gate }

/** The outcome of saving this kind of content for a profile of the setup. */
export function outcomeOf(setup: Setup, kind: Kind): Outcome {
  const { capabilities } = rulesFor(setup)
  if (kind in posts) return postOutcome(setup, capabilities, posts[kind as keyof typeof posts])
  return withoutContent[kind as keyof typeof withoutContent](setup, capabilities)
}

const sampleText = { text: 'Our robots learned to dance.', title: 'Robots' }

/** The content of each kind of post. */
export const posts: {
  readonly [kind in 'text' | 'link' | 'image' | 'multiImage' | 'video' | 'document' | 'reshare']: Content
} = {
  text: { ...sampleText, media: [] },
  link: { ...sampleText, media: [], link },
  image: { ...sampleText, media: [photo()] },
  multiImage: { ...sampleText, media: [photo(), photo()] },
  video: { ...sampleText, media: [clip()] },
  document: { ...sampleText, media: [paper()] },
  reshare: { ...sampleText, media: [], reshareOf: 'urn:li:share:1' },
}

function postOutcome({ network }: Setup, capabilities: Capabilities, content: Content): Outcome {
  const problems = checkPost(network, content, manifestOf(network).limits, capabilities)
  const gate = problems.find(({ isGate }) => isGate)
  if (gate) return gated({ gated: gate.sentence })
  if (problems.length > 0) return rejected([...new Set(problems.map(({ sentence }) => sentence))].join(' '))
  return { state: 'works' }
}

type OutcomeOf = (setup: Setup, capabilities: Capabilities) => Outcome

const withoutContent: { readonly [kind in Exclude<Kind, keyof typeof posts>]: OutcomeOf } = {
  firstComment(setup, capabilities) {
    const { network } = setup
    const post = postOutcome(setup, capabilities, posts[plainPost(network)])
    if (post.state === 'gated') return post
    if (network !== firstCommentNetwork) return rejected(noFirstComment)
    return byCapability(capabilities.firstComment, '')
  },
  reply: ({ network }, { reply }) => byCapability(reply, `Comments cannot be answered on ${manifestOf(network).name}.`),
  threadedReply(setup, capabilities) {
    const reply = withoutContent.reply(setup, capabilities)
    if (reply.state !== 'works' || capabilities.threadedReply !== 'no') return reply
    return {
      ...reply,
      note: `${manifestOf(setup.network).name} has no threads: it answers what began the conversation.`,
    }
  },
  replyMedia(setup, capabilities) {
    const reply = withoutContent.reply(setup, capabilities)
    if (reply.state !== 'works') return reply
    if (capabilities.replyMedia !== 'no') return byCapability(capabilities.replyMedia, '')
    return {
      ...reply,
      note: `${manifestOf(setup.network).name} takes no files in comments: the words go out without them.`,
    }
  },
  directMessage: ({ network }, { directMessage }) =>
    byCapability(directMessage, noMessages(manifestOf(network).name).sentence),
  like: ({ network }, { like }) => byCapability(like, manifestOf(network).missing?.like ?? ''),
  remove: ({ network }, { remove }) => byCapability(remove, manifestOf(network).missing?.remove ?? ''),
  audience: (_, { audience }) => byCapability(audience, noAudiences),
}

/** The simplest post of a network. */
export function plainPost(network: Setup['network']): 'text' | 'image' | 'video' {
  const { text, image } = manifestOf(network).capabilities
  if (text === 'yes') return 'text'
  return image === 'yes' ? 'image' : 'video'
}

function byCapability(can: Capabilities[Feature], missing: string): Outcome {
  const gate = gateOf(can)
  if (gate) return gated(gate)
  return can === 'yes' ? { state: 'works' } : rejected(missing)
}

const rejected = (sentence: string): Outcome => ({ state: 'refused', sentence })
const gated = (gate: Gate): Outcome => ({ state: 'gated', sentence: gate.gated, gate })
