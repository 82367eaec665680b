import { mediaRefs } from '#areas/media/rendition/media-refs.ts'
import type { Surroundings } from '#kernel/surroundings.ts'
import type { Actor } from '#networks/actor.ts'
import type { Connector } from '#networks/connector.ts'
import type { Checkpoint, Draft, Found, Progress, Step } from '#networks/draft.ts'
import type { TakenSend } from './taken-send.ts'

/** What is done at the network, and how to find out later whether it was. */
export interface Deed {
  perform(connector: Connector, actor: Actor, save: Checkpoint, progress?: Progress): Promise<Step>
  find(connector: Connector, actor: Actor, since: Date, progress?: Progress): Promise<Found>
}

export const deedOf = (world: Surroundings, send: TakenSend): Deed =>
  send.kind === 'post' ? post(world, send) : comment(world, send)

const post = (world: Surroundings, send: TakenSend): Deed => ({
  perform: async (connector, actor, save, progress) =>
    connector.publish(actor, await draftOf(world, send, connector, actor), save, progress),
  find: async (connector, actor, since, progress) =>
    connector.findPost(actor, await draftOf(world, send, connector, actor), since, progress),
})

const comment = (world: Surroundings, send: TakenSend): Deed => {
  const to = { postId: send.postRemoteId ?? '' }
  const text = send.comment ?? ''
  return {
    async perform(connector, actor, save) {
      const media = await mediaRefs(
        world,
        send.accountId,
        send.commentMediaId ? [send.commentMediaId] : [],
        connector.limits(actor),
      )
      await save({ stage: 'committing' })
      return { state: 'done', ...(await connector.reply(actor, to, text, media)) }
    },
    find: (connector, actor, since) => connector.findReply(actor, to, text, since),
  }
}

async function draftOf(world: Surroundings, send: TakenSend, connector: Connector, actor: Actor): Promise<Draft> {
  const { message: text, subject: title, linkUrl: url, linkTitle, description, imageUrl, audience } = send
  const media =
    send.mediaIds.length > 0 ? await mediaRefs(world, send.accountId, send.mediaIds, connector.limits(actor)) : []
  return {
    text,
    media,
    ...(title && { title }),
    ...(url && { link: { url, title: linkTitle, description, imageUrl } }),
    ...(audience && { audience }),
  }
}
