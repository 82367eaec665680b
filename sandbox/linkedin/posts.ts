import { type Answer, type Call, Refusal } from '../http/call.ts'
import { deepText, listOf, objectOf, textOf } from '../http/fields.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { record } from '../state/deeds.ts'
import { snowflake } from '../state/ids.ts'
import type { Json, Link, Profile } from '../state/rows.ts'
import { actor } from './access.ts'
import { attachedMedia } from './attachments.ts'
import { readable } from './little-text.ts'
import { editPost } from './post-nodes.ts'
import { badField, duplicateOf, missing } from './refusals.ts'
import { checkTargeting } from './targeting.ts'

/** POST /rest/posts: the id comes back in a header, the body is empty. */
export function createPost(call: Call): Answer {
  if (call.headers['x-restli-method'] === 'PARTIAL_UPDATE') return editPost(call)
  const author = actor(call, textOf(call, 'author'))
  const commentary = textOf(call, 'commentary') ?? ''
  const text = readable(commentary)
  checkEnvelope(call, author, text)
  const content = objectOf(call, 'content') ?? {}
  const media = attachedMedia(call, content)
  const link = articleOf(content)
  const parent = deepText(call, 'reshareContext', 'parent')
  if (parent !== undefined && !call.world.items.live('LinkedIn', parent)) missing(`the post ${parent}`)
  if (!text && !media.length && !link && parent === undefined) {
    badField('/commentary', 'FIELD_REQUIRED', 'A post needs commentary or content')
  }
  refuseRepeat(call, author, { text, media: media.map(({ id }) => id), link, parent })
  const type = media[0]?.mime.startsWith('video/') ? 'ugcPost' : 'share'
  const post = record(call.world, author, {
    id: `urn:li:${type}:${snowflake()}`,
    alias: `urn:li:activity:${snowflake()}`,
    kind: 'post',
    text,
    media: media.map(({ id }) => id),
    ...(link ? { link } : {}),
    extra: {
      commentary,
      visibility: textOf(call, 'visibility') ?? 'PUBLIC',
      content: content as Json,
      targetEntities: listOf(objectOf(call, 'distribution') ?? {}, 'targetEntities') as Json,
      ...(parent === undefined ? {} : { reshareOf: parent }),
    },
  })
  return { status: 201, headers: { 'x-restli-id': post.id, 'x-linkedin-id': post.id } }
}

function checkEnvelope(call: Call, author: Profile, text: string) {
  if (text.length > limits.LinkedIn.text) {
    badField('/commentary', 'FIELD_LENGTH_TOO_LONG', `commentary may have ${limits.LinkedIn.text} characters`)
  }
  if (textOf(call, 'lifecycleState') !== 'PUBLISHED') {
    badField('/lifecycleState', 'FIELD_VALUE_INVALID', 'lifecycleState must be PUBLISHED', 400)
  }
  const visibilities = author.kind === 'member' ? ['PUBLIC', 'CONNECTIONS', 'LOGGED_IN'] : ['PUBLIC', 'LOGGED_IN']
  if (!visibilities.includes(textOf(call, 'visibility') ?? '')) {
    badField('/visibility', 'FIELD_VALUE_INVALID', `visibility must be one of ${visibilities.join(', ')}`, 400)
  }
  const distribution = objectOf(call, 'distribution')
  if (!distribution || textOf(distribution, 'feedDistribution') === undefined) {
    badField('/distribution', 'FIELD_REQUIRED', 'distribution.feedDistribution is required', 400)
  }
  checkTargeting(call.world, author, listOf(distribution, 'targetEntities'))
}

function articleOf(content: object): Link | undefined {
  const article = objectOf(content, 'article')
  const url = article && textOf(article, 'source')
  if (!article) return undefined
  if (!url || !URL.canParse(url)) badField('/content/article/source', 'INVALID_URL', 'source must be an address')
  const [title, description, image] = ['title', 'description', 'thumbnail'].map((name) => textOf(article, name))
  if (!title) badField('/content/article/title', 'FIELD_REQUIRED', 'title is required')
  return { url, title, ...(description ? { description } : {}), ...(image ? { image } : {}) }
}

/** The same content within a day is refused, even when the first was deleted since. */
function refuseRepeat(
  call: Call,
  author: Profile,
  made: { text: string; media: string[]; link: Link | undefined; parent: string | undefined },
) {
  const since = call.world.clock.now() - day
  const same = call.world.items
    .everOfProfile('LinkedIn', author.id)
    .find(
      (item) =>
        item.kind === 'post' &&
        item.own &&
        item.at > since &&
        item.text === made.text &&
        item.link?.url === made.link?.url &&
        item.media.join() === made.media.join() &&
        item.extra?.reshareOf === made.parent,
    )
  if (same) throw new Refusal(duplicateOf(same.id))
}
