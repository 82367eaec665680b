import type { Actor, Connector } from '#networks/connector/connector.ts'
import type { Correspondent, Draft, Progress, Target } from '#networks/connector/draft.ts'
import { manifestOf } from '#networks/manifests.ts'
import { simulatedUser } from '../../../sandbox/sandbox.fixture.ts'
import type { sandboxNetworks } from '../sandbox-networks.ts'
import type { Kind } from './outcomes.ts'
import { profileIdOf } from './sandbox-setup.ts'
import type { Setup } from './setups.ts'

type Sandbox = Awaited<ReturnType<typeof sandboxNetworks>>

/** Content that a profile can act on. */
export interface Fixtures {
  post: string
  comment: Target
  /** A reply to that comment. */
  nested: Target
  /** A comment that mentions the profile. */
  mention: Target
  thread: Correspondent
}

/** A post created in the sandbox, with comments of external users: the profile itself may not be allowed to create one. */
export async function createFixtures(sandbox: Sandbox, setup: Setup): Promise<Fixtures> {
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
  const { remoteId: mentionId } = await inject({ kind: 'comment', postRemoteId: post, text: `${name} hello` })
  const { threadId } = network === 'YouTube' ? { threadId: '' } : await inject({ kind: 'message', text: 'Open?' })
  return {
    post,
    comment: { postId: post, commentId, rootCommentId: commentId },
    nested: { postId: post, commentId: nestedId, rootCommentId: commentId },
    mention: { postId: post, commentId: mentionId, rootCommentId: mentionId },
    thread: { personId: simulatedUser.id, threadId, lastInboundAt: sandbox.world.clock.now() },
  }
}

let serial = 0

/** Performs the action through a connector, and throws the connector's errors. */
export async function perform(
  sandbox: Sandbox,
  { connector, actor }: { connector: Connector; actor: Actor },
  fixtures: Fixtures,
  kind: Kind | 'mention',
): Promise<void> {
  serial += 1
  const text = `Cell ${serial}`
  const picture = sandbox.media('jpeg')
  const publish = (more: Partial<Draft>) =>
    published(sandbox, connector, actor, { text, title: text, media: [], ...more })
  const link = { url: 'https://example.com/robots', title: 'Robots', description: 'All about robots', imageUrl: '' }
  const actions: { readonly [one in Kind | 'mention']: () => Promise<unknown> } = {
    text: () => publish({}),
    link: () => publish({ link }),
    image: () => publish({ media: [picture] }),
    multiImage: () => publish({ media: [picture, picture] }),
    video: () => publish({ media: [sandbox.media('mp4')] }),
    document: () => publish({ media: [sandbox.media('pdf')] }),
    firstComment: () => connector.reply(actor, { postId: fixtures.post }, text, []),
    reply: () => connector.reply(actor, fixtures.comment, text, []),
    threadedReply: () => connector.reply(actor, fixtures.nested, text, []),
    replyMedia: () => connector.reply(actor, fixtures.comment, text, [picture]),
    mention: () => connector.reply(actor, fixtures.mention, text, []),
    directMessage: () => connector.message(actor, fixtures.thread, text, []),
    like: () =>
      connector.like(
        actor,
        manifestOf(actor.network).likes.includes('post') ? { postId: fixtures.post } : fixtures.comment,
      ),
    remove: () => connector.remove(actor, fixtures.post),
    audience: () => publish({ audience: { Industry: ['4'] } }),
    reshare: () => publish({ reshareOf: fixtures.post }),
  }
  await actions[kind]()
}

/** Repeats publishing steps until the post is done, with the waiting times of the service. */
async function published(sandbox: Sandbox, connector: Connector, actor: Actor, draft: Draft) {
  let progress: Progress | undefined
  for (let step = 0; step < 30; step += 1) {
    const save = async (saved: Progress) => {
      progress = structuredClone(saved)
    }
    const result = await connector.publish(actor, draft, save, progress)
    if (result.state === 'done') return result
    progress = structuredClone(result.progress)
    await sandbox.advance(Math.max(result.checkAfterMs, 1000))
  }
  throw new Error('The post was not published.')
}
