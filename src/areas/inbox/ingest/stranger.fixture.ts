import { type Inbox, profiles } from './arrival.fixture.ts'

type Injected = Awaited<ReturnType<Inbox['inject']>>

/** Somebody outside, and what they do at Facebook. */
export interface Stranger {
  /** How the network calls them. */
  id: string
  /** A post of ours, under which they comment. */
  post: string
  comment: (more?: object) => Promise<Injected>
  message: () => Promise<Injected>
  does: (told: object) => Promise<Injected>
  /** What they did before. */
  before: Injected
}

/** Strangers around a post that is made for them. */
export async function strangersAt(inbox: Inbox): Promise<() => Stranger> {
  const post = await inbox.published('Facebook', profiles.facebook, { message: 'Forty walks, all reachable by train.' })
  let numbered = 0
  return () => {
    const number = numbered++
    const from = { id: `74000000000${String(number).padStart(5, '0')}`, name: 'Robin Field' }
    const does = (told: object) =>
      inbox.inject(profiles.facebook, 'Facebook', { from, text: `Words ${number} ${numbered++}`, ...told })
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
