import { isReady, mediaOf } from '../behaviour/media.ts'
import { type ApiRequest, listOf, nestedText, objectOf, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse, json } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { snowflake } from '../state/ids.ts'
import { recordAction, removeItem } from '../state/items.ts'
import type { Item, Media, Profile } from '../state/rows.ts'
import { badRequest, notFound, refuse, requireSelf, requireUser, twitterFaultResponses } from './access.ts'
import { pushSent } from './push.ts'
import { renderText } from './shapes.ts'

/** POST /2/tweets: a post, reply or quote. */
export function createTweet(request: ApiRequest): ApiResponse {
  const author = requireUser(request, 'tweet.write')
  const text = textOf(request, 'text') ?? ''
  const media = attachedMedia(request, author)
  if (!text && !media.length) badRequest('A post needs text or media.')
  const longest = author.tier.includes('premium') ? 25_000 : limits.Twitter.text
  if (weightedLength(text) > longest) {
    refuse(403, 'Forbidden', `Your Tweet text is too long: it weighs ${weightedLength(text)}, ${longest} is the most.`)
  }
  const parent = repliedPost(request, author)
  const quotes = textOf(request, 'quote_tweet_id')
  if (quotes !== undefined && author.tier.includes('self-serve')) notPermitted('quote posts')
  refuseDuplicate(request, author, text, media, parent)
  const tweet = recordAction(request.state, author, {
    id: snowflake(),
    kind: parent ? 'reply' : 'post',
    text,
    media: media.map(({ id }) => id),
    ...(parent ? { parentId: parent.id, postId: parent.postId ?? parent.id } : {}),
    ...(quotes === undefined ? {} : { extra: { quotes } }),
  })
  pushSent(request.state, author, tweet)
  return json({ data: { id: tweet.id, text: renderText(tweet).text, edit_history_tweet_ids: [tweet.id] } }, 201)
}

export function deleteTweet(request: ApiRequest): ApiResponse {
  const author = requireUser(request, 'tweet.write')
  const tweet = request.state.items.live('Twitter', request.params.id ?? '')
  if (!tweet) notFound('tweet', request.params.id ?? '')
  if (tweet.from.id !== author.id) notPermitted('deleting posts of others')
  removeItem(request.state, tweet)
  return json({ data: { deleted: true } })
}

/** POST /2/users/:id/likes: not for self-serve apps. */
export function like(request: ApiRequest): ApiResponse {
  const who = requireSelf(request, 'like.write')
  if (who.tier.includes('self-serve')) notPermitted('likes')
  const id = textOf(request, 'tweet_id') ?? ''
  const tweet = request.state.items.live('Twitter', id)
  if (!tweet) notFound('tweet', id)
  const known = request.state.items.childrenOf(tweet, 'like').some(({ own, from }) => own && from.id === who.id)
  if (!known) {
    const postId = tweet.postId ?? tweet.id
    recordAction(request.state, who, { id: `like-${snowflake()}`, kind: 'like', postId, parentId: tweet.id, text: '' })
  }
  return json({ data: { liked: true } })
}

export function unlike(request: ApiRequest): ApiResponse {
  const who = requireSelf(request, 'like.write')
  const tweet = request.state.items.live('Twitter', request.params.tweet ?? '')
  for (const given of tweet ? request.state.items.childrenOf(tweet, 'like') : []) {
    if (given.own && given.from.id === who.id) removeItem(request.state, given)
  }
  return json({ data: { liked: false } })
}

/** PUT /2/tweets/:id/hidden. */
export function hide(request: ApiRequest): ApiResponse {
  requireUser(request, 'tweet.write')
  const tweet = request.state.items.live('Twitter', request.params.id ?? '')
  if (!tweet) notFound('tweet', request.params.id ?? '')
  const hidden = textOf(request, 'hidden') === 'true'
  request.state.items.change(tweet, { hidden })
  return json({ data: { hidden } })
}

function attachedMedia(request: ApiRequest, author: Profile): Media[] {
  const ids = listOf(objectOf(request, 'media') ?? {}, 'media_ids').map(String)
  const media = ids.map((id) => {
    const found = mediaOf(request.state, 'Twitter', id)
    const old = found && found.readyAt < request.state.clock.now() - day
    if (found?.profile !== author.id || old || found.failed || !isReady(request, found)) {
      throw new ApiError(twitterFaultResponses.notReady(request))
    }
    return found
  })
  const alone = media.filter(({ mime }) => mime === 'image/gif' || mime.startsWith('video/')).length
  if (media.length > limits.Twitter.images || (alone && media.length > 1)) {
    badRequest('media_ids takes 4 photos, or 1 GIF, or 1 video.', { media_ids: ids })
  }
  return media
}

/**
 * Self-serve apps may reply only to posts that mention the account. Replies to own posts are not documented: `self-serve` allows them,
 * `no-self-replies` rejects them.
 */
function repliedPost(request: ApiRequest, author: Profile): Item | undefined {
  const id = nestedText(request, 'reply', 'in_reply_to_tweet_id')
  if (id === undefined) return undefined
  const parent = request.state.items.live('Twitter', id)
  if (!parent) {
    refuse(403, 'Forbidden', 'You attempted to reply to a Tweet that is deleted or not visible to you.')
  }
  const isMentioned =
    parent.kind === 'mention' || parent.text.toLowerCase().includes(`@${author.username.toLowerCase()}`)
  const isOwn = parent.from.id === author.id
  if (author.tier === 'no-self-replies' && !isMentioned) notPermitted('this reply')
  if (author.tier.includes('self-serve') && !isOwn && !isMentioned) notPermitted('this reply')
  return parent
}

/** The same text with the same parent within a day, without media. */
function refuseDuplicate(request: ApiRequest, author: Profile, text: string, media: Media[], parent: Item | undefined) {
  const since = request.state.clock.now() - day
  const same = request.state.items
    .ofProfile('Twitter', author.id, 'post', 'reply')
    .some(
      (item) => item.own && item.at > since && item.text === text && item.parentId === parent?.id && !item.media.length,
    )
  if (same && !media.length) throw new ApiError(twitterFaultResponses.duplicate(request))
}

function notPermitted(what: string): never {
  refuse(403, 'Forbidden', `You are not permitted to perform this action: ${what}.`, 'not-authorized-for-resource')
}

/** Code point ranges with weight one; all others have weight two. */
const singleWeightRanges: [number, number][] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
]
const urlWeight = 23
/** Multi-code-point emoji. Intl.Segmenter would find the same in quadratic time. */
const cluster =
  /\p{Regional_Indicator}{2}|[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*/gu
const emoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}[\ufe0f\u200d]|\u20e3/u

/** Weighted length as counted by X: every URL counts 23, every emoji 2. */
export function weightedLength(text: string): number {
  let weight = 0
  const plain = composed(text).replaceAll(/https?:\/\/[^\s]+/g, () => {
    weight += urlWeight
    return ''
  })
  const rest = plain.replaceAll(cluster, (sign) => {
    if (!emoji.test(sign)) return sign
    weight += 2
    return ''
  })
  for (const character of rest) weight += pointWeight(character)
  return weight
}

/** In parts, because normalizing long runs of combining marks takes quadratic time. */
const composed = (text: string) =>
  (text.match(/\P{M}+\p{M}{0,30}|\p{M}{1,30}/gu) ?? []).map((part) => part.normalize('NFC')).join('')

function pointWeight(character: string): number {
  const point = character.codePointAt(0) ?? 0
  return singleWeightRanges.some(([from, to]) => point >= from && point <= to) ? 1 : 2
}
