import { isReady, mediaOf } from '../behaviour/media.ts'
import { type Call, deepText, listOf, objectOf, textOf } from '../http/request.ts'
import { type Answer, json, Refusal } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { snowflake } from '../state/ids.ts'
import { record, remove } from '../state/items.ts'
import type { Item, Media, Profile } from '../state/rows.ts'

import { badRequest, notFound, refuse, self, twitterAnswers, user } from './access.ts'
import { sentPushed } from './push.ts'
import { renderText } from './shapes.ts'

/** POST /2/tweets: a post, an answer to one, or a quote. */
export function createTweet(call: Call): Answer {
  const author = user(call, 'tweet.write')
  const text = textOf(call, 'text') ?? ''
  const media = attached(call, author)
  if (!text && !media.length) badRequest('A post needs text or media.')
  const longest = author.tier.includes('premium') ? 25_000 : limits.Twitter.text
  if (weightedLength(text) > longest) {
    refuse(403, 'Forbidden', `Your Tweet text is too long: it weighs ${weightedLength(text)}, ${longest} is the most.`)
  }
  const parent = answered(call, author)
  const quotes = textOf(call, 'quote_tweet_id')
  if (quotes !== undefined && author.tier.includes('self-serve')) notPermitted('quote posts')
  refuseRepeat(call, author, text, media, parent)
  const tweet = record(call.world, author, {
    id: snowflake(),
    kind: parent ? 'reply' : 'post',
    text,
    media: media.map(({ id }) => id),
    ...(parent ? { parentId: parent.id, postId: parent.postId ?? parent.id } : {}),
    ...(quotes === undefined ? {} : { extra: { quotes } }),
  })
  sentPushed(call.world, author, tweet)
  return json({ data: { id: tweet.id, text: renderText(tweet).text, edit_history_tweet_ids: [tweet.id] } }, 201)
}

export function deleteTweet(call: Call): Answer {
  const author = user(call, 'tweet.write')
  const tweet = call.world.items.live('Twitter', call.params.id ?? '')
  if (!tweet) notFound('tweet', call.params.id ?? '')
  if (tweet.from.id !== author.id) notPermitted('deleting posts of others')
  remove(call.world, tweet)
  return json({ data: { deleted: true } })
}

/** POST /2/users/:id/likes: not for self-serve apps. */
export function like(call: Call): Answer {
  const who = self(call, 'like.write')
  if (who.tier.includes('self-serve')) notPermitted('likes')
  const id = textOf(call, 'tweet_id') ?? ''
  const tweet = call.world.items.live('Twitter', id)
  if (!tweet) notFound('tweet', id)
  const known = call.world.items.under(tweet, 'like').some(({ own, from }) => own && from.id === who.id)
  if (!known) {
    const postId = tweet.postId ?? tweet.id
    record(call.world, who, { id: `like-${snowflake()}`, kind: 'like', postId, parentId: tweet.id, text: '' })
  }
  return json({ data: { liked: true } })
}

export function unlike(call: Call): Answer {
  const who = self(call, 'like.write')
  const tweet = call.world.items.live('Twitter', call.params.tweet ?? '')
  for (const given of tweet ? call.world.items.under(tweet, 'like') : []) {
    if (given.own && given.from.id === who.id) remove(call.world, given)
  }
  return json({ data: { liked: false } })
}

/** PUT /2/tweets/:id/hidden. */
export function hide(call: Call): Answer {
  user(call, 'tweet.write')
  const tweet = call.world.items.live('Twitter', call.params.id ?? '')
  if (!tweet) notFound('tweet', call.params.id ?? '')
  const hidden = textOf(call, 'hidden') === 'true'
  call.world.items.change(tweet, { hidden })
  return json({ data: { hidden } })
}

function attached(call: Call, author: Profile): Media[] {
  const ids = listOf(objectOf(call, 'media') ?? {}, 'media_ids').map(String)
  const media = ids.map((id) => {
    const found = mediaOf(call.world, 'Twitter', id)
    const old = found && found.readyAt < call.world.clock.now() - day
    if (found?.profile !== author.id || old || found.failed || !isReady(call, found)) {
      throw new Refusal(twitterAnswers.notReady(call))
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
 * Self-serve apps may answer only those who named the account. Whether they may answer the account itself is not documented: `self-serve` may, and
 * `no-self-replies` may not.
 */
function answered(call: Call, author: Profile): Item | undefined {
  const id = deepText(call, 'reply', 'in_reply_to_tweet_id')
  if (id === undefined) return undefined
  const parent = call.world.items.live('Twitter', id)
  if (!parent) {
    refuse(403, 'Forbidden', 'You attempted to reply to a Tweet that is deleted or not visible to you.')
  }
  const summoned = parent.kind === 'mention' || parent.text.toLowerCase().includes(`@${author.username.toLowerCase()}`)
  const isOwn = parent.from.id === author.id
  if (author.tier === 'no-self-replies' && !summoned) notPermitted('this reply')
  if (author.tier.includes('self-serve') && !isOwn && !summoned) notPermitted('this reply')
  return parent
}

/** The same words again within a day, to the same place, without new media. */
function refuseRepeat(call: Call, author: Profile, text: string, media: Media[], parent: Item | undefined) {
  const since = call.world.clock.now() - day
  const same = call.world.items
    .ofProfile('Twitter', author.id, 'post', 'reply')
    .some(
      (item) => item.own && item.at > since && item.text === text && item.parentId === parent?.id && !item.media.length,
    )
  if (same && !media.length) throw new Refusal(twitterAnswers.duplicate(call))
}

function notPermitted(what: string): never {
  refuse(403, 'Forbidden', `You are not permitted to perform this action: ${what}.`, 'not-authorized-for-resource')
}

/** Code points that weigh one; all others weigh two. */
const singleWeightRanges: [number, number][] = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
]
const urlWeight = 23
/** What may be put together to one sign. A segmenter would find the same in quadratic time. */
const cluster =
  /\p{Regional_Indicator}{2}|[0-9#*]\ufe0f?\u20e3|\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?(?:\u200d\p{Extended_Pictographic}[\ufe0f\p{Emoji_Modifier}]?)*/gu
const emoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}[\ufe0f\u200d]|\u20e3/u

/** The length X counts: addresses are all alike, an emoji is two however it is built. */
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

/** In parts, because runs of accents take time with the square of their length. */
const composed = (text: string) =>
  (text.match(/\P{M}+\p{M}{0,30}|\p{M}{1,30}/gu) ?? []).map((part) => part.normalize('NFC')).join('')

function pointWeight(character: string): number {
  const point = character.codePointAt(0) ?? 0
  return singleWeightRanges.some(([from, to]) => point >= from && point <= to) ? 1 : 2
}
