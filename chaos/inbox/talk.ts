import type { ConnectedProfile } from '../publishing/profiles.ts'
import type { Stage } from '../publishing/stage.ts'

/** Something that a person did at a network, and what must come of it. */
export interface Happening {
  profile: ConnectedProfile
  kind: 'comment' | 'reply' | 'mention' | 'message' | 'like' | 'own' | 'edit' | 'delete'
  remoteId: string
  postId: string
  /** The comment it answers, likes or changes. */
  parentId: string
  personId: string
  text: string
  /** Milliseconds. */
  at: number
  /** Found by asking alone: no push tells of it. */
  silent: boolean
}

/** A talk begins with one of these and goes on. */
interface Open {
  root: Happening
  said: Happening[]
}

const postsPerProfile = 8

/**
 * Makes people act at the sandbox's Facebook, without a push, so that the harness may tell of it in its own order. What is deleted and
 * what is edited stands there as it is in the end.
 */
export async function talk(
  stage: Stage,
  profiles: readonly ConnectedProfile[],
  count: number,
  chance: () => number,
): Promise<Happening[]> {
  const posts = new Map<string, string[]>()
  for (const profile of profiles) {
    const ids: string[] = []
    for (let number = 0; number < postsPerProfile; number++)
      ids.push((await inject(stage, profile, { kind: 'post', own: true, text: `Post ${number}` })).remoteId)
    posts.set(profile.id, ids)
  }
  const open = new Map<string, Open[]>(profiles.map(({ id }) => [id, []]))
  const happened: Happening[] = []
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(chance() * items.length)] as Item
  while (happened.length < count) {
    const profile = pick(profiles)
    const talks = open.get(profile.id) as Open[]
    const dice = chance()
    const bare = { profile, remoteId: '', postId: '', parentId: '', personId: person(chance), at: Date.now() }
    const text = `Words ${happened.length} of ${bare.personId}`
    const known = talks.length > 0 ? pick(talks) : undefined
    const say = async (kind: Happening['kind'], told: object, more: Partial<Happening> = {}) => {
      const { remoteId } = await inject(stage, profile, {
        text,
        from: { id: bare.personId, name: `P ${bare.personId}` },
        ...told,
      })
      const happening = { ...bare, kind, text, remoteId, silent: false, ...more }
      happened.push(happening)
      return happening
    }
    if (dice < 0.3 || !known) {
      const postId = pick(posts.get(profile.id) as string[])
      const root = await say('comment', { kind: 'comment', postRemoteId: postId }, { postId, silent: chance() < 0.2 })
      talks.push({ root, said: [root] })
    } else if (dice < 0.6) {
      const parentId = known.root.remoteId
      const postId = known.root.postId
      const own = chance() < 0.15
      const more = { postId, parentId, silent: chance() < 0.2, ...(own && { personId: profile.remoteId }) }
      known.said.push(await say(own ? 'own' : 'reply', { kind: 'reply', parentId, own }, more))
    } else if (dice < 0.75) await say('message', { kind: 'message' })
    else if (dice < 0.82) await say('mention', { kind: 'mention' })
    else if (dice < 0.9) {
      const { remoteId: parentId, postId } = pick(known.said)
      await say('like', { kind: 'like', parentId, text: '' }, { parentId, postId, text: '' })
    } else {
      const target = pick(known.said)
      const isChanged = happened.some(
        ({ kind, parentId }) => parentId === target.remoteId && (kind === 'edit' || kind === 'delete'),
      )
      const isRoot = target === known.root
      // What nobody tells of is not known to have been there once it is deleted; and under what is gone nothing stands.
      if (target.silent || isChanged || target.kind === 'own' || (dice >= 0.95 && isRoot)) continue
      const kind = dice < 0.95 ? 'edit' : 'delete'
      await inject(stage, profile, { kind, remoteId: target.remoteId, text })
      if (kind === 'delete') known.said.splice(known.said.indexOf(target), 1)
      const about = {
        remoteId: target.remoteId,
        parentId: target.remoteId,
        postId: target.postId,
        personId: target.personId,
      }
      happened.push({ ...bare, ...about, kind, text: kind === 'edit' ? text : '', silent: false })
    }
  }
  return happened
}

const person = (chance: () => number) => String(7_100_000_000_000_000 + Math.floor(chance() * 400))

const inject = (stage: Stage, profile: ConnectedProfile, told: object) =>
  stage.control('/inject', { network: profile.network, profile: profile.remoteId, push: false, ...told }) as Promise<{
    remoteId: string
  }>
