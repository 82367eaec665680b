import { createHash } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Media } from '#kernel/database/tables.ts'
import { invalid } from '#kernel/errors.ts'
import { forEachAccount, job } from '#kernel/jobs/job.ts'
import { type ContentMedia, contentProblems } from '#networks/content/content-check.ts'
import { textLength } from '#networks/content/text-check.ts'
import { manifestOf } from '#networks/manifests.ts'
import type { MessageRow } from './message.ts'

export type MessageContent = Pick<MessageRow, (typeof contentFields)[number]>

export const contentFields = [
  ...(['network', 'message', 'subject'] as const),
  ...(['linkUrl', 'linkTitle', 'description', 'imageUrl'] as const),
]

export const contentOf = (row: MessageRow) =>
  Object.fromEntries(contentFields.map((field) => [field, row[field]])) as MessageContent

/** Stored with the text because computing them is slow. */
export const derivedColumns = (content: Pick<MessageRow, 'network' | 'message'>) => ({
  messageLength: measureText(content),
  words: textDigest(content.message),
})

/** A digest of a text that ignores whitespace, case, punctuation and link targets; empty if no text remains. */
export function textDigest(text: string): string {
  const lines = text
    .toLowerCase()
    .replace(/https?:\/\/\S+/g, ' ')
    .match(/[\p{L}\p{N}]+/gu)
  return lines ? createHash('sha256').update(lines.join(' ')).digest('base64url').slice(0, 22) : ''
}

/** The length by the counting rules of the network. */
export const measureText = ({ network, message }: Pick<MessageRow, 'network' | 'message'>) =>
  textLength(message, manifestOf(network).limits.text.unit)

/** Derives the message type from its content; refuses content that violates a rule of the network, naming the rule and the number. */
export function checkContent(content: MessageContent, media: readonly Selectable<Media>[]): MessageRow['type'] {
  const { network, message: text, subject: title, linkUrl } = content
  const link = linkOf(content)
  if (link && media.length > 0) throw invalid('A message carries either a link attachment or media, not both.')
  const problems = contentProblems(network, {
    text,
    media: media.map(factsOf),
    ...(title !== '' && { title }),
    ...(link && { link: { url: linkUrl } }),
  })
  if (problems.length > 0) throw invalid(problems.join(' '))
  return link ? 'link-attachment' : media.length > 0 ? 'media-attachment' : 'status-update'
}

/** All four link fields are required, or none. */
function linkOf({ linkUrl, linkTitle, description, imageUrl }: MessageContent): boolean {
  const parts = { linkUrl, imageUrl, linkTitle, description }
  const omitted = Object.entries(parts).filter(([, value]) => value === '')
  if (omitted.length === 4) return false
  if (omitted.length > 0)
    throw invalid(
      `A link attachment needs linkUrl, imageUrl, linkTitle and description; ${omitted.map(([name]) => name).join(', ')} missing.`,
    )
  return true
}

/** The properties of a file that network rules depend on. */
export function factsOf(asset: Selectable<Media>): ContentMedia {
  const given = {
    width: asset.width,
    height: asset.height,
    seconds: asset.durationMs === null ? null : asset.durationMs / 1000,
    framesPerSecond: asset.framesPerSecond,
    videoCodec: asset.videoCodec,
    audioCodec: asset.audioCodec,
    pages: asset.pages,
    frames: asset.frames,
  }
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  return { type: asset.type, name: asset.name, mime: asset.mimeType, bytes: asset.size, ...known }
}

const messagesPerBatch = 200

/** Computes the length and digest of texts stored before these columns existed. */
export const measureMessagesJob = job<Record<string, never>>('publishing.measure-messages', {
  queue: 'housekeeping',
  timeout: 600_000,
  run: (context) =>
    forEachAccount(context, async (id) => {
      while (!context.signal.aborted && (await context.transaction(id, measureBatch)) === messagesPerBatch);
    }),
})

async function measureBatch({ db, accountId }: Context): Promise<number> {
  const messages = await db
    .selectFrom('messages')
    .select(['id', 'network', 'message'])
    .where('accountId', '=', accountId)
    .where('words', 'is', null)
    .orderBy('id')
    .limit(messagesPerBatch)
    .modifyEnd(lockRows('messages', 'update'))
    .execute()
  if (messages.length === 0) return 0
  await sql`
    update messages m set message_length = w.length, words = w.words
    from unnest(${messages.map(({ id }) => id)}::text[], ${messages.map(measureText)}::int[],
      ${messages.map(({ message }) => textDigest(message))}::text[]) as w (id, length, words)
    where m.account_id = ${accountId} and m.id = w.id`.execute(db)
  return messages.length
}
