import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { Db } from '#kernel/database/database.ts'
import { deedOf } from './deed.ts'
import { lookAt, type Outcome } from './outcome.ts'
import type { Publishing } from './publishing.ts'
import type { TakenSend } from './taken-send.ts'

const hour = 60 * 60 * 1000
/** After this long a network that cannot be asked is no longer asked. */
const patience = 24 * hour

/** Finds out what became of a send whose answer got lost. Only the last look may conclude that the network does not have it. */
export async function look(publishing: Publishing, db: Db, send: TakenSend): Promise<Outcome & { looks: number }> {
  const { world, rules } = publishing
  const { clock } = world
  const since = send.intent ?? send.planned
  const looks = send.looks + 1
  const isLast = looks >= rules.looks.length
  const next = (error: string) => ({
    kind: 'look' as const,
    due: lookAt(rules, looks, since, clock.now()),
    error,
    looks,
  })
  try {
    const place = { accountId: send.accountId, id: send.credentialId }
    const deed = deedOf(publishing, send)
    const found = await withProfile(world, place, (connector, actor) =>
      deed.find(connector, actor, since, send.progress ?? undefined),
    )
    if (found.state === 'found' && !(await isAnothers(db, send, found.remoteId)))
      return { kind: 'sent', receipt: found, looks }
    if (!isLast) return next('')
    if (found.state === 'undecidable') return { kind: 'unconfirmed', error: unsure(send, found.why), looks }
    if (clock.now().getTime() > send.planned.getTime() + rules.lateness)
      return {
        kind: 'failed',
        error: `${send.network} does not have the ${send.kind}: it did not get through. You can send it again.`,
        looks,
      }
    return { kind: 'again', due: clock.now(), error: '', looks }
  } catch (error) {
    const sentence = (error as Error).message
    if (clock.now().getTime() > since.getTime() + patience)
      return { kind: 'unconfirmed', error: unsure(send, sentence), looks }
    // This look told nothing; it is made again.
    return { kind: 'look', due: new Date(clock.now().getTime() + 60_000), error: sentence, looks: send.looks }
  }
}

/** Of two posts with the same text each is found once. */
async function isAnothers(db: Db, { accountId, credentialId, postId, kind }: TakenSend, remoteId: string) {
  // Comments are looked for under their own post.
  if (kind === 'comment') return false
  const other = await db
    .selectFrom('postlogs')
    .select('postId')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .where('remoteId', '=', remoteId)
    .where('postId', '<>', postId)
    .executeTakeFirst()
  return other !== undefined
}

const unsure = ({ network, kind }: TakenSend, why: string) =>
  `It is not known whether ${network} has published the ${kind}. ${why} Check the profile: if it is there, mark it as sent; if not, send it again.`
