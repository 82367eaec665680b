import type { Context } from '#kernel/context.ts'
import { heldRows } from '#kernel/database/locks.ts'
import { conflict, invalid } from '#kernel/errors.ts'
import type { MessageRow } from '../../message/message.ts'
import * as messages from '../../message/message.ts'
import { holdCampaigns, lockProfiles } from '../change/post-lock.ts'

const mostProfiles = 100

/** The message that a parameter names, held together with its campaign and those beside it; refuses one that nothing can be made of. */
export async function holdMessage(context: Context, id: string, beside: readonly string[] = []): Promise<MessageRow> {
  const find = () => messages.visible(context).where('id', '=', id)
  const known = await find().executeTakeFirst()
  const campaigns = known ? await holdCampaigns(context, [known.campaignId, ...beside]) : []
  // It may have been deleted while somebody held the campaign.
  const message = known && (await find().modifyEnd(heldRows('messages', 'share')).executeTakeFirst())
  if (!message) throw invalid(`messageId names no message: "${id.slice(0, 40)}".`)
  refuseEnded(campaigns.find((campaign) => campaign.id === message.campaignId))
  return message
}

/** Refuses a campaign in which nothing is published any more. */
export function refuseEnded(campaign: { name: string; status: string; deleted: Date | null } | undefined) {
  if (!campaign || campaign.deleted) throw conflict('The campaign was deleted; nothing is published in it any more.')
  if (campaign.status === 'archived')
    throw conflict(`The campaign "${campaign.name}" is archived: make it active again before you schedule posts in it.`)
}

/** Refuses to schedule what still waits for approval itself. */
export function requireApproved({ approveStatus }: MessageRow) {
  if (approveStatus === 'Pending')
    throw conflict('The message waits for approval; until then only drafts can be made of it.')
  if (approveStatus === 'Rejected') throw conflict('The message was rejected; only drafts can be made of it.')
}

/** Refuses profiles that are not there, or of another network. They are held: who would delete one waits. */
export async function holdProfiles(context: Context, ids: readonly string[], network: string, queued: boolean) {
  refuseNumber(ids)
  refuseOthers(ids, await lockProfiles(context, ids, queued), network)
}

/** Refuses none, and too many. */
export function refuseNumber(ids: readonly string[]) {
  if (ids.length === 0) throw invalid('credentialIds must name at least one profile.')
  if (ids.length > mostProfiles) throw invalid(`credentialIds must not name more than ${mostProfiles} profiles.`)
}

/** Refuses profiles that are not among those that were found, or of another network. */
export function refuseOthers(
  ids: readonly string[],
  found: readonly { id: string; network: string }[],
  network: string,
) {
  for (const id of ids) {
    const profile = found.find((one) => one.id === id)
    if (!profile) throw invalid(`credentialIds names ${id.slice(0, 80)}, but there is no such profile.`)
    if (profile.network !== network)
      throw invalid(`credentialIds names ${id}, a profile on ${profile.network}, but the message is for ${network}.`)
  }
}

/** Refuses an audience that none of the profiles has. */
export async function requirePreset(
  context: Context,
  id: string | null,
  profileIds: readonly string[],
  network: string,
) {
  if (id === null) return
  if (network !== 'LinkedIn') throw invalid('targetingPresetId is for LinkedIn profiles only.')
  const preset = await context.db
    .selectFrom('targetingPresets')
    .select('credentialId')
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!preset) throw invalid(`targetingPresetId names no targeting preset: "${id.slice(0, 40)}".`)
  if (!profileIds.includes(preset.credentialId))
    throw invalid(`targetingPresetId names a preset of ${preset.credentialId}, which is none of the post's profiles.`)
}
