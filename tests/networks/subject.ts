import type { Actor, Connector } from '#networks/connector/connector.ts'
import type { Correspondent, Draft, MediaRef, Progress, Receipt, Target } from '#networks/connector/draft.ts'
import type { Network } from '#networks/manifests.ts'
import { simulatedUser } from '../../sandbox/sandbox.fixture.ts'
import { openConnector } from './open-connector.ts'
import { sandboxActor, type sandboxNetworks } from './sandbox-networks.ts'

type Sandbox = Awaited<ReturnType<typeof sandboxNetworks>>

/** A profile of the sandbox, its connector, and content to act on. */
export interface Subject {
  connector: Connector
  actor: Actor
  media: (name: 'jpeg' | 'mp4' | 'pdf', alt?: string) => MediaRef
  /** A post of the profile. */
  post: string
  /** A comment of an external user on it. */
  comment: Target
  /** An external user who sent it a message. */
  thread: Correspondent
  /** Inboxes of members contain only messages. */
  inboxHas: 'comment' | 'message'
  /** The progress that publishing saved last. */
  progress: Progress | undefined
  /** Resumes publishing until the post is done, with the waiting times of the service. */
  publish(draft: Draft): Promise<Receipt>
}

/** A reset sandbox for one test, with a post, a comment and a message. */
export async function makeSubject(sandbox: Sandbox, network: Network, kind?: Actor['kind']): Promise<Subject> {
  await sandbox.control('/reset', {})
  const connector = openConnector(network, sandbox)
  const actor = sandboxActor(network, kind)
  const subject: Subject = {
    connector,
    actor,
    media: sandbox.media,
    post: '',
    comment: { postId: '' },
    thread: { personId: '' },
    inboxHas: kind === 'member' ? 'message' : 'comment',
    progress: undefined,
    async publish(draft) {
      const save = async (progress: Progress) => {
        subject.progress = structuredClone(progress)
      }
      for (let step = 0; step < 30; step += 1) {
        const result = await connector.publish(actor, draft, save, subject.progress)
        if (result.state === 'done') return result
        subject.progress = structuredClone(result.progress)
        await sandbox.advance(Math.max(result.checkAfterMs, 1000))
      }
      throw new Error('The post was not published.')
    },
  }
  const only = connector.capabilities(actor)
  const media = only.text === 'yes' ? [] : [sandbox.media(only.image === 'yes' ? 'jpeg' : 'mp4')]
  subject.post = (await subject.publish({ text: 'The very first post', title: 'First', media })).remoteId
  subject.progress = undefined
  const about = { network, profile: actor.remoteId, from: simulatedUser, push: false }
  const injected = await sandbox.inject({ ...about, kind: 'comment', postRemoteId: subject.post, text: 'Nice' })
  subject.comment = { postId: subject.post, commentId: injected.remoteId, rootCommentId: injected.remoteId }
  if (only.directMessage !== 'no') {
    const { threadId } = await sandbox.inject({ ...about, kind: 'message', text: 'Are you open?' })
    subject.thread = { personId: simulatedUser.id, threadId, lastInboundAt: sandbox.world.clock.now() }
  }
  return subject
}
