import { type Inbox, profiles } from './ingest.fixture.ts'

type Injected = Awaited<ReturnType<Inbox['inject']>>

/** An external person and their actions on Facebook. */
export interface ExternalPerson {
  /** Id on the network. */
  id: string
  /** One of our posts, which they comment on. */
  post: string
  comment: (more?: object) => Promise<Injected>
  message: () => Promise<Injected>
  does: (activity: object) => Promise<Injected>
  /** Their previous action. */
  before: Injected
}

/** External people around a new post. */
export async function externalPeople(inbox: Inbox): Promise<() => ExternalPerson> {
  const post = await inbox.published('Facebook', profiles.facebook, { message: 'Forty walks, all reachable by train.' })
  let numbered = 0
  return () => {
    const number = numbered++
    const from = { id: `74000000000${String(number).padStart(5, '0')}`, name: 'Robin Field' }
    const does = (activity: object) =>
      inbox.inject(profiles.facebook, 'Facebook', { from, text: `Words ${number} ${numbered++}`, ...activity })
    return {
      id: from.id,
      post,
      does,
      before: { remoteId: '', threadId: null },
      comment: (more = {}) => does({ kind: 'comment', postRemoteId: post, ...more }),
      message: () => does({ kind: 'message' }),
    }
  }
}
