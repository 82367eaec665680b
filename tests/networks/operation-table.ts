import type { Draft, Found, MediaRef, Progress, Receipt } from '#networks/connector/draft.ts'
import type { Feature } from '#networks/content/content.ts'
import { manifestOf } from '#networks/manifests.ts'
import { simulatedUser } from '../../sandbox/sandbox.fixture.ts'
import type { Subject } from './subject.ts'

/** The kind of entry that a call adds to the sandbox's ledger. */
type Kind = 'post' | 'comment' | 'reply' | 'message' | 'like' | 'removal'

/** One operation of a connector: its prerequisites, the call, and how to find its result. */
export interface Operation {
  name: string
  /** The capability that the network must have; others are skipped. */
  needs: Feature | 'stream' | 'renewal'
  /** Its name in the sandbox's faults. */
  fault: string
  /** Waiting time before the operation, in milliseconds. */
  after?: number
  /** Set if it must take effect at most once; reads and repeatable writes omit it. */
  once?: true
  /** The ledger entry it creates. */
  leaves?: Kind
  act(subject: Subject): Promise<Receipt | undefined>
  find?(subject: Subject, since: Date): Promise<Found>
}

const draft = (text: string, more: Partial<Draft> = {}): Draft => ({ text, media: [], ...more })

const link = {
  url: 'https://example.com/robots',
  title: 'Robots',
  description: 'All about robots',
  imageUrl: '',
}

const publishing = (
  name: string,
  needs: Feature,
  make: (media: (name: 'jpeg' | 'mp4' | 'pdf', alt?: string) => MediaRef) => Draft,
): Operation => ({
  name: `publish ${name}`,
  needs,
  fault: 'publish',
  once: true,
  leaves: 'post',
  act: (subject) => subject.publish(make(subject.media)),
  find: (subject, since) =>
    subject.connector.findPost(subject.actor, make(subject.media), since, subject.progress as Progress),
})

/** All write operations of a connector. */
export const writing: Operation[] = [
  publishing('a text', 'text', () => draft('Robots are #great (really) & <nice> 🤖')),
  publishing('a link', 'link', () => draft('Read this', { link })),
  publishing('a picture', 'image', (media) => draft('One picture', { media: [media('jpeg', 'A robot')] })),
  publishing('pictures', 'multiImage', (media) => draft('Two pictures', { media: [media('jpeg'), media('jpeg')] })),
  publishing('a video', 'video', (media) => draft('Moving', { title: 'A film', media: [media('mp4')] })),
  publishing('a document', 'document', (media) => draft('A paper', { title: 'Paper', media: [media('pdf')] })),
  {
    name: 'publish a first comment',
    needs: 'firstComment',
    fault: 'comment',
    once: true,
    leaves: 'comment',
    act: async (subject) => subject.connector.reply(subject.actor, { postId: subject.post }, 'First!', []),
    find: (subject, since) => subject.connector.findReply(subject.actor, { postId: subject.post }, 'First!', since),
  },
  {
    name: 'reply to a comment',
    needs: 'reply',
    fault: 'reply',
    once: true,
    leaves: 'comment',
    act: async (subject) => subject.connector.reply(subject.actor, subject.comment, 'Thank you', []),
    find: (subject, since) => subject.connector.findReply(subject.actor, subject.comment, 'Thank you', since),
  },
  {
    name: 'reply to a message',
    needs: 'directMessage',
    fault: 'message',
    once: true,
    leaves: 'message',
    act: async (subject) => subject.connector.message(subject.actor, subject.thread, 'We are open', []),
    find: (subject, since) => subject.connector.findMessage(subject.actor, subject.thread, 'We are open', since),
  },
  {
    name: 'like',
    needs: 'like',
    fault: 'like',
    leaves: 'like',
    act: async (subject) => withoutReceipt(subject.connector.like(subject.actor, likeTarget(subject))),
  },
  {
    name: 'remove a post',
    needs: 'remove',
    fault: 'delete',
    leaves: 'removal',
    act: async (subject) => withoutReceipt(subject.connector.remove(subject.actor, subject.post)),
  },
]

/** All read operations; the tests of each network check the contents of the responses. */
export const reading: Operation[] = [
  {
    name: 'read metrics',
    needs: 'postMetrics',
    fault: 'metrics',
    async act({ connector, actor, post }) {
      const metrics = await connector.metrics(actor, [post])
      if (!metrics.has(post)) throw new Error('There are no metrics of the post.')
      return undefined
    },
  },
  {
    name: 'read the profile',
    needs: 'followers',
    fault: 'profile',
    async act({ connector, actor }) {
      const { id, followers = 0 } = await connector.profile(actor)
      if (!id || followers < 1) throw new Error('The profile has no id or no followers.')
      return undefined
    },
  },
  {
    name: 'read comments',
    needs: 'reply',
    fault: 'inbox',
    async act({ connector, actor, comment }) {
      const { items } = await connector.fetchComments(actor, comment.postId)
      if (!items.some(({ from }) => from?.id === simulatedUser.id || from?.name?.includes('Robin')))
        throw new Error('The comment is not among those read.')
      return undefined
    },
  },
  {
    name: 'read the inbox',
    needs: 'reply',
    fault: 'inbox',
    async act({ connector, actor, comment, inboxHas }) {
      const { items } = await connector.fetchInbox(actor)
      const key = inboxHas === 'comment' ? comment.commentId : undefined
      if (items.length === 0 || (key && !items.some(({ remoteId }) => remoteId === key)))
        throw new Error('The comment is not in the inbox.')
      return undefined
    },
  },
  {
    name: 'read a stream',
    needs: 'stream',
    fault: 'posts',
    async act({ connector, actor, post }) {
      const { items } = await connector.fetchStream(actor, { type: manifestOf(actor.network).streams?.own ?? '' })
      if (!items.some(({ remoteId }) => remoteId === post)) throw new Error('The post is not in the stream.')
      return undefined
    },
  },
  {
    name: 'renew the token',
    needs: 'renewal',
    fault: 'token',
    // Instagram renews only tokens that are at least a day old.
    after: 25 * 60 * 60 * 1000,
    async act({ connector, actor }) {
      const { accessToken } = await connector.refreshToken(actor)
      if (!accessToken) throw new Error('There is no new token.')
      return undefined
    },
  },
]

const likeTarget = ({ actor, post, comment }: Subject) =>
  manifestOf(actor.network).likes.includes('post') ? { postId: post } : comment

const withoutReceipt = (done: Promise<unknown>) => done.then(() => undefined)
