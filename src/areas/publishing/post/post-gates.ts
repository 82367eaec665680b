import { sql } from 'kysely'
import { type Rules, ruledColumns, rulesOf } from '#areas/profiles/access/profile-row.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Feature } from '#networks/content/content.ts'
import { featuresOf, gateOf, postFeatures } from '#networks/content/gates.ts'
import type { MessageRow } from '../message/message.ts'

interface Targets {
  credentialIds: readonly string[]
  message: Pick<MessageRow, 'id' | 'linkUrl'>
}

/** Refuses a post on a profile that is known to lack a permission for it; the message says how to fix that. */
export async function refuseGatedPost(context: Context, { credentialIds, message }: Targets) {
  const profiles = await profilesWithRules(context, credentialIds)
  const isGated = ({ capabilities }: Rules) => postFeatures.some((feature) => gateOf(capabilities[feature]))
  // The content matters only if a profile is restricted.
  if (!profiles.some(isGated)) return
  refuseGated(profiles, featuresOf({ media: await filesOf(context, message.id), link: linkOf(message) }))
}

/** The same for a first comment. */
export async function refuseGatedComment(context: Context, credentialIds: readonly string[]) {
  refuseGated(await profilesWithRules(context, credentialIds), ['firstComment'], 'firstComment cannot be published. ')
}

type RuledProfile = Rules & { displayName: string }

function refuseGated(profiles: readonly RuledProfile[], features: readonly Feature[], before = '') {
  for (const { displayName, capabilities } of profiles) {
    const gate = features.map((feature) => gateOf(capabilities[feature])).find(Boolean)
    if (gate) throw invalid(`${before}${displayName}: ${gate.gated}`)
  }
}

async function profilesWithRules(context: Context, ids: readonly string[]): Promise<RuledProfile[]> {
  const rows = await context.db
    .selectFrom('credentials')
    .select([...ruledColumns, 'displayName'])
    .where('accountId', '=', context.accountId)
    .where(sql<boolean>`id = any (${ids})`)
    .where('deleted', 'is', null)
    .execute()
  return rows.map((row) => ({ ...rulesOf(context, row), displayName: row.displayName }))
}

async function filesOf({ db, accountId }: Context, messageId: string): Promise<{ mime: string }[]> {
  const { rows } = await sql<{ mime: string }>`
    select m.mime_type as mime from message_media mm join media m on m.account_id = ${accountId} and m.id = mm.media_id
    where mm.account_id = ${accountId} and mm.message_id = ${messageId}`.execute(db)
  return rows
}

const linkOf = ({ linkUrl }: Targets['message']) => (linkUrl === '' ? undefined : { url: linkUrl })
