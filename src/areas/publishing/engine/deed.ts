import { linksOf } from '#areas/links/link/link-making.ts'
import { mediaRefs } from '#areas/media/rendition/media-refs.ts'
import type { Actor } from '#networks/connector/actor.ts'
import type { Connector } from '#networks/connector/connector.ts'
import type { Checkpoint, Draft, Found, MediaRef, Progress, Step } from '#networks/connector/draft.ts'
import type { Publishing } from './publishing.ts'
import { type Shorten, shortened } from './short-links.ts'
import type { TakenSend } from './taken-send.ts'

/** What is done at the network, and how to find out later whether it was. */
export interface Deed {
  perform(connector: Connector, actor: Actor, save: Checkpoint, progress?: Progress): Promise<Step>
  find(connector: Connector, actor: Actor, since: Date, progress?: Progress): Promise<Found>
}

export const deedOf = (publishing: Publishing, send: TakenSend): Deed =>
  send.kind === 'post' ? post(publishing, send) : comment(publishing, send)

/** Who performs makes the links first; who looks only uses those that were made. */
const maker =
  ({ together }: Publishing, { accountId }: TakenSend): Shorten =>
  (wanted) =>
    together.link(accountId, wanted)
const seeker =
  ({ world }: Publishing, { accountId }: TakenSend): Shorten =>
  ({ place }) =>
    linksOf(world.database.forAccount(accountId), accountId, place)

const post = (publishing: Publishing, send: TakenSend): Deed => ({
  perform: async (connector, actor, save, progress) =>
    connector.publish(
      actor,
      await draftOf(publishing, send, connector, actor, maker(publishing, send), !progress),
      save,
      progress,
    ),
  find: async (connector, actor, since, progress) =>
    connector.findPost(
      actor,
      await draftOf(publishing, send, connector, actor, seeker(publishing, send), false),
      since,
      progress,
    ),
})

const comment = (publishing: Publishing, send: TakenSend): Deed => {
  const { world } = publishing
  const to = { postId: send.postRemoteId ?? '' }
  const mediaIds = send.commentMediaId ? [send.commentMediaId] : []
  return {
    async perform(connector, actor, save) {
      const media = await mediaRefs(world, send.accountId, mediaIds, connector.limits(actor), { whole: true })
      const { text } = await shortened(world, send, media, maker(publishing, send))
      await save({ stage: 'committing' })
      return { state: 'done', ...(await connector.reply(actor, to, text, media)) }
    },
    async find(connector, actor, since) {
      const { text } = await shortened(world, send, [], seeker(publishing, send))
      return connector.findReply(actor, to, text, since)
    },
  }
}

async function draftOf(
  { world }: Publishing,
  send: TakenSend,
  connector: Connector,
  actor: Actor,
  shorten: Shorten,
  /** Nothing has gone to the network yet, so files are looked at before they do. */
  whole: boolean,
): Promise<Draft> {
  const { subject: title, linkTitle, description, imageUrl, audience } = send
  const { accountId, mediaIds } = send
  const media: MediaRef[] =
    mediaIds.length > 0 ? await mediaRefs(world, accountId, mediaIds, connector.limits(actor), { whole }) : []
  const { text, url } = await shortened(world, send, media, shorten)
  return {
    text,
    media,
    ...(title && { title }),
    ...(url && { link: { url, title: linkTitle, description, imageUrl } }),
    ...(audience && { audience }),
  }
}
