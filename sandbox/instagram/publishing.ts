import { refuse } from '../graph/refusals.ts'
import { type Answer, type Call, json } from '../http/call.ts'
import { flagOf, textOf } from '../http/fields.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { newestFirst, record } from '../state/deeds.ts'
import { graphId } from '../state/ids.ts'
import type { Container, Profile } from '../state/rows.ts'
import { account } from './access.ts'
import { fetchedMedia } from './pictures.ts'

/** What an account may publish in a day. */
const dailyPosts = 100

/** POST /{ig}/media: a container for a picture, a video, or several containers together. */
export async function createContainer(call: Call): Promise<Answer> {
  const owner = account(call, 'content_publish')
  const text = textOf(call, 'caption') ?? ''
  checkCaption(text)
  const isItem = flagOf(call, 'is_carousel_item')
  const carousel = textOf(call, 'media_type') === 'CAROUSEL'
  const found = carousel ? childrenOf(call, owner) : await fetchedMedia(call, owner)
  const container = call.world.containers.put({
    id: graphId(),
    profile: owner.id,
    text,
    isItem,
    createdAt: call.world.clock.now(),
    ...found,
  })
  return json({ id: container.id })
}

/** GET /{container}. */
export function containerShape(call: Call, container: Container) {
  const state = stateOf(call, container)
  const status = container.problem && state === 'ERROR' ? `Error: ${container.problem}` : `${state}: media`
  return { id: container.id, status_code: state, status }
}

/** POST /{ig}/media_publish: once per container, when it is finished. */
export function publishContainer(call: Call): Answer {
  const owner = account(call, 'content_publish')
  const container = call.world.containers.get(textOf(call, 'creation_id') ?? '')
  if (container?.profile !== owner.id) {
    refuse({ code: 24, subcode: 2207006, message: 'The media to publish does not exist.', type: 'OAuthException' })
  }
  refuseUnfit(call, container)
  if (publishedToday(call, owner) >= dailyPosts) {
    refuse({ code: 9, subcode: 2207042, message: 'The daily number of posts is reached.', type: 'OAuthException' })
  }
  const post = record(call.world, owner, { id: graphId(), kind: 'post', text: container.text, media: container.media })
  call.world.containers.change(container, { publishedAs: post.id })
  return json({ id: post.id })
}

export function publishingLimit(call: Call): Answer {
  const owner = account(call, 'content_publish')
  const config = { quota_total: dailyPosts, quota_duration: 86_400 }
  return json({ data: [{ quota_usage: publishedToday(call, owner), config }] })
}

function stateOf(call: Call, { problem, publishedAs, createdAt, readyAt }: Container) {
  const now = call.world.clock.now()
  if (publishedAs !== undefined) return 'PUBLISHED'
  if (createdAt < now - day) return 'EXPIRED'
  if (call.notReady || readyAt > now) return 'IN_PROGRESS'
  return problem === undefined ? 'FINISHED' : 'ERROR'
}

function refuseUnfit(call: Call, container: Container) {
  const state = stateOf(call, container)
  if (state === 'FINISHED') return
  const problems = {
    IN_PROGRESS: [9007, 2207027, 'The media is not ready for publishing, please wait for a moment.'],
    ERROR: [-1, 2207032, 'The media could not be made.'],
    EXPIRED: [-2, 2207020, 'The container has expired.'],
    PUBLISHED: [9007, 2207041, 'The container was already published.'],
  } as const
  const [code, subcode, message] = problems[state]
  refuse({ code, subcode, message, type: 'OAuthException', userMessage: message })
}

function childrenOf(call: Call, owner: Profile): Pick<Container, 'media' | 'readyAt'> {
  const ids = (textOf(call, 'children') ?? '').split(',').filter(Boolean)
  if (!ids.length && Array.isArray(call.fields.children)) ids.push(...call.fields.children.map(String))
  const children = ids.map((id) => call.world.containers.get(id))
  const fits = children.every((child) => child?.profile === owner.id && child.isItem)
  if (!fits || children.length < 2 || children.length > limits.Instagram.images) {
    refuse({ code: 100, subcode: 2207028, message: 'A carousel takes 2 to 10 carousel items.', type: 'OAuthException' })
  }
  return {
    media: children.flatMap((child) => child?.media ?? []),
    readyAt: Math.max(...children.map((child) => child?.readyAt ?? 0)),
  }
}

function checkCaption(text: string) {
  const hashtags = text.match(/#[\p{L}\p{N}_]+/gu)?.length ?? 0
  const mentions = text.match(/@[\w.]+/g)?.length ?? 0
  if (text.length > limits.Instagram.text || hashtags > 30 || mentions > 20) {
    refuse({ code: 36004, subcode: 2207010, message: 'The caption is too long.', type: 'OAuthException' })
  }
}

function publishedToday(call: Call, owner: Profile): number {
  const since = call.world.clock.now() - day
  const posts = newestFirst(call.world.items.ofProfile('Instagram', owner.id, 'post'))
  return posts.filter(({ at }) => at > since).length
}
