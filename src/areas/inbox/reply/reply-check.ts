import type { Selectable } from 'kysely'
import type { Rules } from '#areas/profiles/access/profile-rules.ts'
import { factsOf } from '#areas/publishing/message/message-content.ts'
import type { Media } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { judgeComment, judgeMessage, noMessages, windowProblem } from '#networks/content/content-check.ts'
import { gateOf } from '#networks/content/gates.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import type { ItemRow } from '../item/item-row.ts'

/** Whether something is said to one person, or for all to see. */
export const isMessage = ({ itemType }: Pick<ItemRow, 'itemType'>) => itemType === 'Conversation'

/** What stands in the way of an answer, in words that say what would help; nothing where nothing is known to. */
export function obstacleOf(
  item: Pick<ItemRow, 'itemType'>,
  { network, capabilities }: Rules,
  { withMedia, isMentioned }: { withMedia: boolean; isMentioned: boolean },
): string | undefined {
  const { name } = manifestOf(network)
  if (isMessage(item)) {
    if (capabilities.directMessage === 'no') return noMessages(name).sentence
    return gateOf(capabilities.directMessage)?.gated
  }
  if (capabilities.reply === 'no') return `Comments cannot be answered on ${name}.`
  const gates = [gateOf(capabilities.reply), withMedia ? gateOf(capabilities.replyMedia) : undefined]
  return gates.find((gate) => gate && !(gate.unless === 'mentioned' && isMentioned))?.gated
}

/** Whether the person named the profile: in a mention, or in the words that began the item. */
export const isMentioned = ({ itemType, text }: Pick<ItemRow, 'itemType' | 'text'>, username: string): boolean =>
  itemType === 'Mention' || (username !== '' && text.toLowerCase().includes(`@${username.toLowerCase()}`))

/** Whether files go along; where the network takes none they are left out, as the contract says. */
export const takesMedia = (network: Network) => manifestOf(network).capabilities.replyMedia !== 'no'

/** Refuses words and files that the network would refuse, with the rule and the number. */
export function refuseUnfit(
  item: ItemRow,
  { network, limits }: Rules,
  { text, media }: { text: string; media: readonly Selectable<Media>[] },
) {
  const judge = isMessage(item) ? judgeMessage : judgeComment
  const problems = judge(network, { text, media: media.map(factsOf) }, limits)
  if (problems.length > 0) throw invalid(problems.map(({ sentence }) => sentence).join(' '))
}

/** Refuses an answer to somebody who wrote too long ago. */
export function refuseLate(item: ItemRow, { network }: Rules, lastInbound: Date | null, now: Date) {
  const problem = isMessage(item) ? windowProblem(network, lastInbound ?? undefined, now) : undefined
  if (problem) throw invalid(problem)
}
