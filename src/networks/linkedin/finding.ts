import type { Actor } from '../connector/actor.ts'
import type { Draft, Found, Progress } from '../connector/draft.ts'
import type { Json } from '../wire/json.ts'
import { type Calls, ifAllowed, type Listed, list } from './calls.ts'
import { at, encoded, listAt, numberAt, postUrl, textAt, textsAt, urnOf } from './fields.ts'
import { readable, shown } from './little-text.ts'
import { mayRead } from './processing.ts'

/** Searches for a post among the newest of its author: by the files that were uploaded for it, else by its words. */
export async function findPost(
  calls: Calls,
  actor: Actor,
  draft: Draft,
  since: Date,
  progress?: Progress,
): Promise<Found> {
  if (!mayRead(actor)) return undecidable('LinkedIn does not show the posts of members to this app')
  const assets = textsAt(progress, 'assets')
  const seen = await ifAllowed(recentPosts(calls, actor, since))
  if (!seen) return undecidable('LinkedIn does not show the posts of this profile to this app')
  const { recent, complete } = seen
  const match = recent.find((post) => isSame(post, draft, assets))
  const remoteId = textAt(match, 'id')
  if (match !== undefined && remoteId !== undefined) {
    const at = new Date(createdAt(match) || calls.installation.clock.now().getTime())
    return { state: 'found', remoteId, remoteUrl: postUrl(calls.app, remoteId), at }
  }
  if (!complete) return undecidable('There are too many newer posts on LinkedIn to look through')
  const wordless = draft.media.length > 0 && !assets.length && !draft.text.trim()
  if (wordless && recent.some((post) => at(post, 'content', 'media') ?? at(post, 'content', 'multiImage'))) {
    return undecidable('A post without text cannot be told from others')
  }
  return { state: 'absent' }
}

const undecidable = (what: string): Found => ({
  state: 'undecidable',
  why: `${what}; it may have been published, please check the profile on LinkedIn.`,
})

async function recentPosts(calls: Calls, actor: Actor, since: Date) {
  const earliest = since.getTime() - 60_000
  const path = `/rest/posts?q=author&author=${encoded(urnOf(actor))}&sortBy=CREATED`
  const recent: Json[] = []
  let start: number | undefined = 0
  for (let pages = 0; start !== undefined && pages < 5; pages++) {
    const page: Listed = await list(calls, actor, path, { start, count: 50 })
    const young = page.elements.filter((post) => createdAt(post) >= earliest)
    recent.push(...young)
    start = young.length < page.elements.length ? undefined : page.next
  }
  return { recent, complete: start === undefined }
}

const createdAt = (post: Json) => numberAt(post, 'createdAt') ?? numberAt(post, 'publishedAt') ?? 0

/** URNs of uploads belong to one post only, so they prove more than words do. */
function isSame(post: Json, draft: Draft, assets: readonly string[]): boolean {
  const { text, media, link, reshareOf } = draft
  if (media.length && assets.length) return sameList(assetsIn(post), assets)
  if (tidy(readable(textAt(post, 'commentary') ?? '')) !== tidy(shown(text))) return false
  if (textAt(post, 'content', 'article', 'source') !== link?.url) return false
  if (textAt(post, 'reshareContext', 'parent') !== reshareOf) return false
  return assetsIn(post).length === media.length && (media.length === 0 || tidy(text) !== '')
}

function assetsIn(post: Json): string[] {
  const single = textAt(post, 'content', 'media', 'id')
  if (single !== undefined) return [single]
  return listAt(post, 'content', 'multiImage', 'images').map((image) => textAt(image, 'id') ?? '')
}

const sameList = (one: readonly string[], other: readonly string[]) => one.join() === other.join()

/** LinkedIn keeps the words but not the space around them. */
export const tidy = (text: string) => text.replaceAll('\r\n', '\n').trim()
