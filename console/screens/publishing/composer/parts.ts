import { firstCommentNetwork } from '#networks/content/content-check.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import type { Sent } from '../../../wire/call.ts'
import { type Composition, type Intent, mediaOn, type Profile, textOn, timesOf } from './composition.ts'

/** Where there is media, or the network shows none, there is no card. */
export const cardOn = (composition: Composition, network: Network) =>
  manifestOf(network).capabilities.link !== 'no' && mediaOn(composition, network).length === 0 ? composition.card : null

/** All of it, as the service takes it. */
export function bodyOf(
  draftId: string,
  composition: Composition,
  networks: readonly Network[],
  profiles: readonly Profile[],
  { isDraft = false, workflowId }: Intent,
): Sent<'POST /compose'> {
  const { campaignId, tags } = composition
  return {
    campaignId,
    draftId,
    ...timesOf(composition, isDraft),
    ...(tags.length > 0 && { tagIds: tags.map((tag) => tag.id) }),
    ...(workflowId && { workflowId }),
    parts: networks.map((network) => partOf(composition, network, profiles)),
  }
}

type Part = Sent<'POST /compose'>['parts'][number]

/** What one network gets. */
function partOf(composition: Composition, network: Network, profiles: readonly Profile[]): Part {
  const { title, comment, presetId, profiles: chosen } = composition
  const media = mediaOn(composition, network)
  const card = cardOn(composition, network)
  const credentialIds = profiles.filter(({ Id, Network }) => Network === network && chosen.includes(Id))
  return {
    network,
    message: textOn(composition, network),
    credentialIds: credentialIds.map(({ Id }) => Id),
    ...(media.length > 0 && { media: media.map(({ Id }) => Id) }),
    ...(title && manifestOf(network).limits.title && { title }),
    ...(card && { linkUrl: card.url, linkTitle: card.title, description: card.description, imageUrl: card.imageUrl }),
    ...(network === firstCommentNetwork && comment.trim() && { firstComment: { text: comment } }),
    ...(network === firstCommentNetwork && presetId && { targetingPresetId: presetId }),
  }
}
