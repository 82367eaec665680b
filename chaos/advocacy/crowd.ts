import { eventIds } from '#areas/events/declarations.ts'
import { newId } from '#kernel/ids.ts'
import { type Advocate, placeAdvocacy } from '../../tests/support/advocacy.ts'
import { account } from '../installation.ts'
import { makeCampaigns } from '../publishing/posts.ts'
import { opening, type Stage } from '../publishing/stage.ts'

/** One thing that an advocate shared: the network is to have its text once. */
export interface WantedShare {
  id: string
  /** Words that no other share has. */
  token: string
  remoteProfile: string
}

interface Sharer extends Advocate {
  credentialId: string
  remoteId: string
}

/** Advocates with a profile each, on a board whose stories they share in words of their own. */
export async function openCrowd(stage: Stage, { advocates, network }: { advocates: number; network: string }) {
  const { url, databaseUrl, keys, control } = stage
  const place = placeAdvocacy({ url, databaseUrl, keys, control, account })
  const [campaignId = ''] = await makeCampaigns(stage, 1)
  const boardId = await place.board({ share_window: 0 })
  const people: Sharer[] = []
  for (let number = 0; number < advocates; number++) {
    const person = await place.advocate(boardId)
    const { id: credentialId, remoteId } = await place.profile(person.id, network, 'page')
    people.push({ ...person, credentialId, remoteId })
  }
  const shares: WantedShare[] = []
  const stories: Promise<string>[] = []
  let number = 0
  const shareNext = async () => {
    const [round, turn] = [Math.floor(number / people.length), number % people.length]
    number++
    stories[round] ??= place.story(boardId, { campaignId })
    const person = people[turn] as Sharer
    const token = newId(eventIds.event, new Date())
    const message = `${opening} ${token} https://shop.example/${token}`
    const body = { storyId: await stories[round], credentialIds: person.credentialId, message }
    const { status, json, text } = await person.ask(`POST /app/api/board/${boardId}/share`, { body })
    if (status !== 200) throw new Error(text)
    shares.push({ id: json.Items[0].Id, token, remoteProfile: person.remoteId })
  }
  return {
    shares,
    /** Somebody after the other shares, all through the interface; each of a story once. */
    async release(count: number) {
      for (let left = count; left > 0; left--) await shareNext()
    },
    /** How often what was counted for the board differs from what was shared. */
    async wrongCounts(): Promise<number> {
      const [row] = await stage.query<{ counted: number; told: number }>(
        `select coalesce((select value from figures where of_kind = 'board' and of_id = $1 and name = 'shares'), 0)::int as counted,
          (select coalesce(sum(share_count), 0)::int from stories where board_id = $1) as told`,
        [boardId],
      )
      return Number(row?.counted !== shares.length) + Number(row?.told !== shares.length)
    },
  }
}
