import { createHmac } from 'node:crypto'
import { patiently } from '../patience.ts'
import type { Happening } from './talk.ts'

const secret = 'sandbox-facebook-secret'

/** Tells of happenings as Facebook does, in this order, a few in each call; whoever does not answer is told again. */
export async function deliver(url: string, happenings: readonly Happening[], isOver: () => boolean = () => false) {
  for (let from = 0; from < happenings.length && !isOver(); from += perCall) {
    const body = JSON.stringify({ object: 'page', entry: happenings.slice(from, from + perCall).map(entryOf) })
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
    await patiently(async () => {
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature }
      const answer = await fetch(`${url}/push/facebook`, { method: 'POST', headers, body })
      if (!answer.ok) throw new Error(`The push was answered with ${answer.status}.`)
    })
  }
}

const perCall = 5

function entryOf({ profile, kind, ...one }: Happening) {
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
  const said = { comment_id: one.remoteId, post_id: one.postId, parent_id, from, message: one.text }
  return { ...entry, changes: [{ field: 'feed', value: { item: 'comment', verb, ...said, created_time } }] }
}

/** In another order, some of them twice: what belongs together is not far apart, as a network's retries are not. */
export function shuffled(happenings: readonly Happening[], chance: () => number, apart = 300): Happening[] {
  const told = happenings.filter(({ silent }) => !silent).flatMap((one) => (chance() < 0.3 ? [one, one] : [one]))
  return told
    .map((one, place) => ({ one, place: place + chance() * apart }))
    .sort((left, right) => left.place - right.place)
    .map(({ one }) => one)
}
