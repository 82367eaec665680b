import { eventIds } from '#areas/events/declarations.ts'
import { newId } from '#kernel/ids.ts'
import { placeItem } from '../../tests/support/inbox.ts'
import { account } from '../installation.ts'
import { type ConnectedProfile, connectProfiles, kinds } from '../publishing/profiles.ts'
import { opening, type Stage } from '../publishing/stage.ts'

/** One answer that somebody gave: the network is to have its text once. */
export interface WantedReply {
  itemId: string
  /** Words that no other answer has. */
  token: string
  remoteProfile: string
}

/** Of so many answers the network loses its own to one. */
const lostOneIn = 10

/** Pages to which people write and which they name, and somebody who answers them through the interface. */
export async function openDesk(stage: Stage, pages: number) {
  const profiles = await connectProfiles(
    stage,
    // Facebook takes the same words twice, so that whoever sends twice is seen.
    Array.from({ length: pages }, () => kinds.facebook),
  )
  const replies: WantedReply[] = []
  let number = 0

  /** Somebody writes, or names the page; it stands in the inbox as it would have arrived. */
  const arrive = async ({ id, remoteId: profile }: ConnectedProfile, turn: number, isMessage: boolean) => {
    const from = { id: String(7_200_000_000_000_000 + turn), name: 'Robin Field' }
    const about = { network: 'Facebook', profile, from, text: 'Are you open?', push: false }
    const made = await stage.control('/inject', { ...about, kind: isMessage ? 'message' : 'mention' })
    const { remoteId, threadId } = made as { remoteId: string; threadId: string }
    const itemType = isMessage ? ('Conversation' as const) : ('Mention' as const)
    const place = { account, network: 'Facebook', credentialId: id, personId: from.id, postRemoteId: '', itemType }
    return placeItem(stage.databaseUrl, { ...place, remoteId: isMessage ? threadId : remoteId })
  }

  const answerNext = async () => {
    const turn = number++
    const profile = profiles[turn % profiles.length] as ConnectedProfile
    const isMessage = turn % 4 < 2
    const { id } = await arrive(profile, turn, isMessage)
    if (turn % lostOneIn === 0) {
      const about = { network: 'Facebook', profile: profile.remoteId, operation: isMessage ? 'message' : 'comment' }
      await stage.control('/fault', { ...about, fault: 'lost-answer' })
    }
    const token = newId(eventIds.event, new Date())
    const body = { message: `${opening} ${token}` }
    const { status, text } = await stage.admin(`POST /conversation/${id}/reply`, { body })
    if (status !== 200) throw new Error(text)
    replies.push({ itemId: id, token, remoteProfile: profile.remoteId })
  }

  return {
    replies,
    /** One answer after the other. */
    async release(count: number) {
      for (let left = count; left > 0; left--) await answerNext()
    },
  }
}
