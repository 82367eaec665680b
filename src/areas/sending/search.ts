import { withProfile } from '#areas/profiles/access/profile-access.ts'
import { profileOf } from '#areas/profiles/access/profile-row.ts'
import { type Outcome, searchAt } from './outcome.ts'
import type { Sending, TakenSend } from './sending.ts'

const hour = 60 * 60 * 1000
/** After this long a network that cannot be asked is no longer asked. */
const patience = 24 * hour

/** Finds out what became of a send whose answer got lost. Only the last search may conclude that the network does not have it. */
export async function search(
  { installation, rules }: Sending,
  { send, content, sendable, profile }: TakenSend,
): Promise<Outcome & { searches: number }> {
  const { clock } = installation
  const since = send.intent ?? send.planned
  const searches = send.searches + 1
  const isLast = searches >= rules.searches.length
  const unsure = (why: string) =>
    `It is not known whether ${send.network} has published the ${sendable.noun}. ${why} Check the profile: if it is there, mark it as sent; if not, send it again.`
  try {
    const place = { accountId: send.accountId, id: send.credentialId }
    const found = await withProfile(
      installation,
      place,
      (connector, actor) => sendable.find({ send, content, connector, actor }, since, send.progress ?? undefined),
      () => profileOf(installation, place, profile),
    )
    if (found.state === 'found') return { kind: 'sent', receipt: found, searches }
    if (!isLast) return { kind: 'search', due: searchAt(rules, searches, since, clock.now()), error: '', searches }
    if (found.state === 'undecidable') return { kind: 'unconfirmed', error: unsure(found.why), searches }
    if (clock.now().getTime() > send.planned.getTime() + rules.lateness)
      return {
        kind: 'failed',
        error: `${send.network} does not have the ${sendable.noun}: it did not get through. You can send it again.`,
        searches,
      }
    return { kind: 'again', due: clock.now(), error: '', searches }
  } catch (error) {
    const sentence = (error as Error).message
    if (clock.now().getTime() > since.getTime() + patience)
      return { kind: 'unconfirmed', error: unsure(sentence), searches }
    // This search told nothing; it is made again.
    return { kind: 'search', due: new Date(clock.now().getTime() + 60_000), error: sentence, searches: send.searches }
  }
}
