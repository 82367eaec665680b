import type { Actor, Connector } from '#networks/connector/connector.ts'
import type { Correspondent, Draft, Progress, Target } from '#networks/connector/draft.ts'
import { manifestOf } from '#networks/manifests.ts'
import { simulatedUser } from '../../../sandbox/sandbox.fixture.ts'
import type { sandboxNetworks } from '../sandbox-networks.ts'
import type { Kind } from './outcomes.ts'
import { profileIdOf } from './sandbox-setup.ts'
import type { Setup } from './setups.ts'

type Sandbox = Awaited<ReturnType<typeof sandboxNetworks>>

/** What a profile can act upon. */
export interface World {
  post: string
  comment: Target
  /** An answer to that comment. */
  nested: Target
  /** A comment of somebody who names the profile. */
  naming: Target
  thread: Correspondent
}

/** A post made by hand, with what strangers said about it: the profile itself may not be allowed to make one. */
export async function makeWorld(sandbox: Sandbox, setup: Setup): Promise<World> {
  const { network } = setup
  const { id } = profileIdOf(setup)
  const about = { network, profile: id, from: simulatedUser, push: false }
  const inject = async (what: object): Promise<{ remoteId: string; threadId: string }> => {
    const made = await sandbox.inject({ ...about, ...what })
    if (!made.remoteId) throw new Error(JSON.stringify(made))
    return made
  }
  const { remoteId: post } = await inject({ kind: 'post', own: true, text: 'By hand' })
  const { remoteId: commentId } = await inject({ kind: 'comment', postRemoteId: post, text: 'How far is it?' })
  const { remoteId: nestedId } = await inject({ kind: 'comment', parentId: commentId, text: 'Far' })
  const name = `@matrix${id.toLowerCase()}`
  const { remoteId: namingId } = await inject({ kind: 'comment', postRemoteId: post, text: `${name} hello` })
  const { threadId } = network === 'YouTube' ? { threadId: '' } : await inject({ kind: 'message', text: 'Open?' })
  return {
    post,
    comment: { postId: post, commentId, rootCommentId: commentId },
    nested: { postId: post, commentId: nestedId, rootCommentId: commentId },
    naming: { postId: post, commentId: namingId, rootCommentId: namingId },
    thread: { personId: simulatedUser.id, threadId, lastInboundAt: sandbox.world.clock.now() },
  }
}

let numbered = 0

/** Does it through a connector; throws what the connector throws. */
export async function perform(
  sandbox: Sandbox,
  { connector, actor }: { connector: Connector; actor: Actor },
  world: World,
  kind: Kind | 'naming',
): Promise<void> {
  numbered += 1
  const text = `Cell ${numbered}`
  const picture = sandbox.media('jpeg')
  const publish = (more: Partial<Draft>) =>
    published(sandbox, connector, actor, { text, title: text, media: [], ...more })
  const link = { url: 'https://example.com/robots', title: 'Robots', description: 'All about robots', imageUrl: '' }
  const actions: { readonly [one in Kind | 'naming']: () => Promise<unknown> } = {
    text: () => publish({}),
    link: () => publish({ link }),
    image: () => publish({ media: [picture] }),
    multiImage: () => publish({ media: [picture, picture] }),
    video: () => publish({ media: [sandbox.media('mp4')] }),
    document: () => publish({ media: [sandbox.media('pdf')] }),
    firstComment: () => connector.reply(actor, { postId: world.post }, text, []),
    reply: () => connector.reply(actor, world.comment, text, []),
    threadedReply: () => connector.reply(actor, world.nested, text, []),
    replyMedia: () => connector.reply(actor, world.comment, text, [picture]),
    naming: () => connector.reply(actor, world.naming, text, []),
    directMessage: () => connector.message(actor, world.thread, text, []),
    like: () =>
      connector.like(actor, manifestOf(actor.network).likes.includes('post') ? { postId: world.post } : world.comment),
    remove: () => connector.remove(actor, world.post),
    audience: () => publish({ audience: { Industry: ['4'] } }),
    reshare: () => publish({ reshareOf: world.post }),
  }
  await actions[kind]()
}

/** To the end, as patiently as the service does. */
async function published(sandbox: Sandbox, connector: Connector, actor: Actor, draft: Draft) {
  let progress: Progress | undefined
  for (let step = 0; step < 30; step += 1) {
    const save = async (kept: Progress) => {
      progress = structuredClone(kept)
    }
    const result = await connector.publish(actor, draft, save, progress)
    if (result.state === 'done') return result
    progress = structuredClone(result.progress)
    await sandbox.advance(Math.max(result.checkAfterMs, 1000))
  }
  throw new Error('The post did not get done.')
}
