import { createHmac } from 'node:crypto'
import { retryUntilAvailable } from '../databases.ts'
import type { Harness } from '../publishing/harness.ts'
import type { ConnectedProfile } from '../publishing/posts.ts'

/** An activity of a user on a network. */
export interface Activity {
  profile: ConnectedProfile
  kind: 'comment' | 'reply' | 'mention' | 'message' | 'like' | 'own' | 'edit' | 'delete'
  remoteId: string
  postId: string
  /** The comment it replies to, likes or changes. */
  parentId: string
  personId: string
  text: string
  /** Milliseconds. */
  at: number
  /** Not pushed; found only by polling. */
  silent: boolean
}

/** A conversation that can be continued. */
interface OpenConversation {
  root: Activity
  items: Activity[]
}

const postsPerProfile = 8

/**
 * Creates activities on the sandbox's Facebook without pushes, so that the harness can push them in its own order. Deleted and
 * edited items are stored in their final state.
 */
export async function simulateActivities(
  harness: Harness,
  profiles: readonly ConnectedProfile[],
  count: number,
  random: () => number,
): Promise<Activity[]> {
  const posts = new Map<string, string[]>()
  for (const profile of profiles) {
    const ids: string[] = []
    for (let number = 0; number < postsPerProfile; number++)
      ids.push((await inject(harness, profile, { kind: 'post', own: true, text: `Post ${number}` })).remoteId)
    posts.set(profile.id, ids)
  }
  const open = new Map<string, OpenConversation[]>(profiles.map(({ id }) => [id, []]))
  const activities: Activity[] = []
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  while (activities.length < count) {
    const profile = pick(profiles)
    const conversations = open.get(profile.id) as OpenConversation[]
    const draw = random()
    const base = { profile, remoteId: '', postId: '', parentId: '', personId: person(random), at: Date.now() }
    const text = `Words ${activities.length} of ${base.personId}`
    const conversation = conversations.length > 0 ? pick(conversations) : undefined
    const record = async (kind: Activity['kind'], fields: object, more: Partial<Activity> = {}) => {
      const { remoteId } = await inject(harness, profile, {
        text,
        from: { id: base.personId, name: `P ${base.personId}` },
        ...fields,
      })
      const activity = { ...base, kind, text, remoteId, silent: false, ...more }
      activities.push(activity)
      return activity
    }
    if (draw < 0.3 || !conversation) {
      const postId = pick(posts.get(profile.id) as string[])
      const root = await record(
        'comment',
        { kind: 'comment', postRemoteId: postId },
        { postId, silent: random() < 0.2 },
      )
      conversations.push({ root, items: [root] })
    } else if (draw < 0.6) {
      const parentId = conversation.root.remoteId
      const postId = conversation.root.postId
      const own = random() < 0.15
      const more = { postId, parentId, silent: random() < 0.2, ...(own && { personId: profile.remoteId }) }
      conversation.items.push(await record(own ? 'own' : 'reply', { kind: 'reply', parentId, own }, more))
    } else if (draw < 0.75) await record('message', { kind: 'message' })
    else if (draw < 0.82) await record('mention', { kind: 'mention' })
    else if (draw < 0.9) {
      const { remoteId: parentId, postId } = pick(conversation.items)
      await record('like', { kind: 'like', parentId, text: '' }, { parentId, postId, text: '' })
    } else {
      const target = pick(conversation.items)
      const isChanged = activities.some(
        ({ kind, parentId }) => parentId === target.remoteId && (kind === 'edit' || kind === 'delete'),
      )
      const isRoot = target === conversation.root
      // A deleted item that was never pushed is unknown to the service, and a deleted root has no replies.
      if (target.silent || isChanged || target.kind === 'own' || (draw >= 0.95 && isRoot)) continue
      const kind = draw < 0.95 ? 'edit' : 'delete'
      await inject(harness, profile, { kind, remoteId: target.remoteId, text })
      if (kind === 'delete') conversation.items.splice(conversation.items.indexOf(target), 1)
      const about = {
        remoteId: target.remoteId,
        parentId: target.remoteId,
        postId: target.postId,
        personId: target.personId,
      }
      activities.push({ ...base, ...about, kind, text: kind === 'edit' ? text : '', silent: false })
    }
  }
  return activities
}

const person = (random: () => number) => String(7_100_000_000_000_000 + Math.floor(random() * 400))

const inject = (harness: Harness, profile: ConnectedProfile, fields: object) =>
  harness.control('/inject', {
    network: profile.network,
    profile: profile.remoteId,
    push: false,
    ...fields,
  }) as Promise<{
    remoteId: string
  }>

const secret = 'sandbox-facebook-secret'

/** Pushes activities as Facebook does, a few per request; failed requests are retried. */
export async function deliver(url: string, activities: readonly Activity[], isOver: () => boolean = () => false) {
  for (let from = 0; from < activities.length && !isOver(); from += activitiesPerRequest) {
    const body = JSON.stringify({
      object: 'page',
      entry: activities.slice(from, from + activitiesPerRequest).map(entryOf),
    })
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    await retryUntilAvailable(async () => {
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
      const response = await fetch(`${url}/push/facebook`, { method: 'POST', headers, body })
      if (!response.ok) throw new Error(`The push was answered with ${response.status}.`)
    })
  }
}

const activitiesPerRequest = 5

function entryOf({ profile, kind, ...one }: Activity) {
  const created_time = Math.floor(one.at / 1000)
  const entry = { id: profile.remoteId, time: created_time }
  if (kind === 'message') {
    const sides = { sender: { id: one.personId }, recipient: { id: profile.remoteId } }
    return { ...entry, messaging: [{ ...sides, timestamp: one.at, message: { mid: one.remoteId, text: one.text } }] }
  }
  if (kind === 'mention') {
    const value = { item: 'post', verb: 'add', post_id: one.remoteId, sender_id: one.personId, message: one.text }
    return { ...entry, changes: [{ field: 'mention', value: { ...value, created_time } }] }
  }
  const from = { id: one.personId, name: `P ${one.personId}` }
  if (kind === 'like') {
    const value = { item: 'reaction', verb: 'add', post_id: one.postId, comment_id: one.parentId, from, created_time }
    return { ...entry, changes: [{ field: 'feed', value }] }
  }
  const verb = kind === 'edit' ? 'edited' : kind === 'delete' ? 'remove' : 'add'
  const isChange = kind === 'edit' || kind === 'delete'
  const parent_id = isChange || one.parentId === '' ? one.postId : one.parentId
  const fields = { comment_id: one.remoteId, post_id: one.postId, parent_id, from, message: one.text }
  return { ...entry, changes: [{ field: 'feed', value: { item: 'comment', verb, ...fields, created_time } }] }
}

/** Shuffles and duplicates activities within a limited distance, like the retries of a network. */
export function shuffled(activities: readonly Activity[], random: () => number, maxDistance = 300): Activity[] {
  const fields = activities.filter(({ silent }) => !silent).flatMap((one) => (random() < 0.3 ? [one, one] : [one]))
  return fields
    .map((one, position) => ({ one, position: position + random() * maxDistance }))
    .sort((left, right) => left.position - right.position)
    .map(({ one }) => one)
}
