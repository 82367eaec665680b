import type { MessageRow } from '#areas/publishing/message/message.ts'
import { get as getPostlog } from '#areas/publishing/post/postlog.ts'
import type { Context } from '#kernel/context.ts'
import { invalid, Refusal } from '#kernel/errors.ts'
import { sentencesIn } from './generator.ts'
import type { StoryRow } from './story.ts'

const network = 'LinkedIn'
/** The length recommended by the contract. */
const longestTitle = 60
const longestDescription = 140

type Derived = Pick<
  StoryRow,
  'postlogId' | 'campaignId' | 'description' | 'imageUrl' | 'linkTitle' | 'linkUrl' | 'linkDescription'
> & { title: string; type: 'post-attachment' }

/** Content of a story that reshares a published post; rejects posts of other networks than LinkedIn. */
export async function derivedFrom(context: Context, postlogId: string): Promise<Derived> {
  const postlog = await findPostlog(context, postlogId)
  if (postlog?.status !== 'success')
    throw invalid(`postlogId names no post that was published: "${postlogId.slice(0, 40)}".`)
  if (postlog.network !== network)
    throw invalid(`postlogId names a post on ${postlog.network}; only posts on ${network} can be shared again.`)
  const message = await originalOf(context, postlog.messageId)
  const { campaignId } = postlog
  return { postlogId, campaignId, type: 'post-attachment', ...excerptOf(message.message), ...linkOf(message) }
}

/** The original text, even if its message was deleted. */
const originalOf = ({ db, accountId }: Context, messageId: string): Promise<MessageRow> =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', messageId)
    .executeTakeFirstOrThrow()

/** The text reshared by a repost story, while its postlog exists. */
export async function originalText(context: Context, { postlogId }: Pick<StoryRow, 'postlogId'>): Promise<string> {
  const postlog = postlogId === '' ? undefined : await findPostlog(context, postlogId)
  return postlog ? (await originalOf(context, postlog.messageId)).message : ''
}

async function findPostlog(context: Context, id: string) {
  try {
    return (await getPostlog(context, { id })).postlog
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'missing') return undefined
    throw error
  }
}

function excerptOf(text: string) {
  const [first = text] = sentencesIn(text)
  return { title: shortened(first, longestTitle), description: shortened(text, longestDescription) }
}

const orNull = (text: string) => (text === '' ? null : text)

const linkOf = ({ imageUrl, linkTitle, linkUrl, description }: MessageRow) => ({
  imageUrl: orNull(imageUrl),
  linkTitle: orNull(linkTitle),
  linkUrl: orNull(linkUrl),
  linkDescription: orNull(description),
})

/** On one line, cut at a word boundary if possible, by code points. */
function shortened(text: string, most: number): string {
  const characters = [...text.split(/\s/).filter(Boolean).join(' ')]
  if (characters.length <= most) return characters.join('')
  const cut = characters.slice(0, most - 1).join('')
  const end = cut.lastIndexOf(' ')
  return `${end > most / 2 ? cut.slice(0, end) : cut}…`
}

/** Network id of the post that a repost story shares; empty for others. */
export async function originalRemoteId({ db, accountId }: Context, { postlogId }: StoryRow): Promise<string> {
  if (postlogId === '') return ''
  const postlog = await db
    .selectFrom('postlogs')
    .select('remoteId')
    .where('accountId', '=', accountId)
    .where('id', '=', postlogId)
    .executeTakeFirst()
  return postlog?.remoteId ?? ''
}
