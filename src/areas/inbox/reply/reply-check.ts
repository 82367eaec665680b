import type { Selectable } from 'kysely'
import { factsOf } from '#areas/publishing/message/message-content.ts'
import type { Context } from '#kernel/context.ts'
import type { Credentials, Media } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { profileRules } from '#networks/connector/connector.ts'
import { standardOptions } from '#networks/connector/manifest.ts'
import { judgeComment, judgeMessage, noMessages, windowProblem } from '#networks/content/content-check.ts'
import type { Capabilities, Limits } from '#networks/content/limits.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import type { ItemRow } from '../item/item-row.ts'

export interface Rules {
  network: Network
  limits: Limits
  capabilities: Capabilities
}

type Profile = Pick<Selectable<Credentials>, 'network' | 'kind' | 'tier'>

/** What a profile may do with the app of this installation; where there is none the send says so. Rights it was given change nothing about answers. */
export function rulesOf({ appOptions }: Context, { kind, tier, ...profile }: Profile): Rules {
  const network = profile.network as Network
  const manifest = manifestOf(network)
  const options = appOptions(network) ?? standardOptions(manifest)
  return { network, ...profileRules(manifest, { options }, { kind, tier: tier ?? undefined, secret: { scopes: [] } }) }
}

/** Whether something is said to one person, or for all to see. */
export const isMessage = ({ itemType }: Pick<ItemRow, 'itemType'>) => itemType === 'Conversation'

/** Refuses what the network has no way for. What is gated for some people only, as answers on X, is the network's to decide. */
export function refuseUnsupported(item: ItemRow, { network, capabilities }: Rules) {
  const { name } = manifestOf(network)
  if (!isMessage(item)) {
    if (capabilities.reply === 'no') throw invalid(`Comments cannot be answered on ${name}.`)
    return
  }
  const can = capabilities.directMessage
  if (can === 'no') throw invalid(noMessages(name).sentence)
  if (can !== 'yes') throw invalid(can.gated)
}

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
