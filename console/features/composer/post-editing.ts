import { useMemo, useRef, useState } from 'react'
import type { Network } from '#networks/manifests.ts'
import { ApiError, type Body, call, etagOf, type Params } from '@/api/call.ts'
import { errorDetails, invalidate, useApiQuery } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import { navigate } from '@/routes/router.ts'
import { now, parseTimestamp } from '@/time/days.ts'
import { networks } from '@/ui/badges.tsx'
import { toast } from '@/ui/toasts.tsx'
import { attachedById } from './attachments.tsx'
import { type Composition, clockAt, momentAt, timesOf } from './composition.ts'
import type { BaseVersion, Draft, DraftContent } from './draft.ts'

export type Post = Body<'v2 GET /post/{id}'>['Post']
type Message = Body<'v2 GET /message/{id}'>['Message']

/** An editable post with the version it was loaded as. */
export interface LoadedPost extends BaseVersion {
  post: Post
  message: Message
  /** ETags sent with a change; the request fails if another user changed the post meanwhile. */
  tags: { post: string | undefined; message: string | undefined }
}

export async function readPost(id: string): Promise<LoadedPost> {
  const ofPost = await call('v2 GET /post/{id}', { id })
  const ofMessage = await call('v2 GET /message/{id}', { id: ofPost.Post.MessageId, withTags: 1 })
  const [post, message] = [ofPost.Post, ofMessage.Message]
  const [media, tags] = await Promise.all([
    attachedById(message.Media.map(({ Id }) => Id)),
    tagsCalled(message.Tags ?? []),
  ])
  return {
    post,
    message,
    tags: { post: etagOf(ofPost), message: etagOf(ofMessage) },
    stamp: stampOf(ofPost, ofMessage),
    composition: compositionOf(post, message, { media, tags }),
  }
}

const stampOf = (post: object, message: object) => `${etagOf(post)} ${etagOf(message)}`

/** Messages return their tags by name only. */
async function tagsCalled(names: readonly string[]): Promise<Composition['tags']> {
  const found = await Promise.all(names.map((q) => call('v2 GET /tag', { q, _count: 100 })))
  return found.flatMap(({ Items }, index) =>
    Items.filter(({ Tag }) => Tag === names[index]).map(({ Id, Tag }) => ({ id: Id, name: Tag })),
  )
}

/** The user who changed the post since it was loaded, if any. */
export function useLaterChange(id: string, base: BaseVersion | undefined): string | undefined {
  const { data } = useApiQuery('v2 GET /post/{id}', { id }, { enabled: id !== '' })
  const messageId = data?.Post.MessageId ?? ''
  const { data: messageBody } = useApiQuery('v2 GET /message/{id}', { id: messageId }, { enabled: messageId !== '' })
  return useMemo(() => {
    if (!base || !data || !messageBody || data.Post.Id !== id) return undefined
    const isOther = stampOf(data, messageBody) !== base.stamp
    if (!isOther) return undefined
    return messageBody.Message.Modified > data.Post.Modified ? messageBody.Message.ModifiedBy : data.Post.ModifiedBy
  }, [base, data, messageBody, id])
}

function compositionOf(
  post: Post,
  message: Message,
  { media, tags }: Pick<Composition, 'media' | 'tags'>,
): Composition {
  const { LinkUrl: url, LinkTitle: title, Description: description, ImageUrl: imageUrl } = message
  const isQueued = post.Status === 'inqueue' || post.Status === 'inqueue-draft'
  return {
    profiles: post.Credentials.split(',').filter(Boolean),
    text: message.Message,
    media,
    own: {},
    title: message.Subject,
    comment: post.FirstComment?.Text ?? '',
    presetId: post.TargetingPresetId ?? '',
    card: message.Type === 'link-attachment' ? { url, title, description, imageUrl } : null,
    campaignId: post.CampaignId,
    tags,
    when: isQueued ? 'queue' : 'at',
    ...clockAt(parseTimestamp(post.StartDateTime)),
  }
}

/** Initial content of a duplicate: same text and files, at another time. */
export async function copyOf(id: string, initial: Composition): Promise<Composition> {
  const { composition } = await readPost(id)
  return { ...composition, when: initial.when, day: initial.day, time: initial.time }
}

export const networkOf = (post: Post): Network | undefined => networks.find((network) => network === post.Network)

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Changed fields of the message. */
export function messageChanges(base: Composition, mine: Composition): Omit<Params<'v2 POST /message/{id}'>, 'id'> {
  const { card } = mine
  return {
    ...(mine.text !== base.text && { message: mine.text }),
    ...(mine.title !== base.title && { title: mine.title }),
    ...(mine.campaignId !== base.campaignId && { campaignId: mine.campaignId }),
    ...(!isSame(mine.tags, base.tags) && { tagIds: mine.tags.map(({ id }) => id) }),
    ...(!isSame(idsOf(mine), idsOf(base)) && { media: idsOf(mine) }),
    ...(!isSame(card, base.card) && {
      linkUrl: card?.url ?? '',
      linkTitle: card?.title ?? '',
      description: card?.description ?? '',
      imageUrl: card?.imageUrl ?? '',
    }),
  }
}

const idsOf = ({ media }: Composition) => media.map(({ Id }) => Id)

/** Changed fields of the post. The status is included only on request, or if the scheduling mode changes. */
export function postChanges(
  base: Composition,
  mine: Composition,
  { isDraft, isAsked }: { isDraft: boolean; isAsked: boolean },
): Omit<Params<'v2 POST /post/{id}'>, 'id'> {
  const isMoved = mine.when !== base.when || !isSame(momentAt(mine), momentAt(base))
  const { status, startDateTime } = timesOf(mine, isDraft)
  const at = mine.when === 'now' ? Math.floor(now() / 1000) : startDateTime
  return {
    ...(!isSame(mine.profiles, base.profiles) && { credentialIds: [...mine.profiles] }),
    ...(isMoved && at !== undefined && { startDateTime: at }),
    ...((isAsked || mine.when !== base.when) && { status }),
    ...(mine.presetId !== base.presetId && { targetingPresetId: mine.presetId }),
    ...(mine.comment !== base.comment && { firstComment: mine.comment.trim() ? { text: mine.comment } : null }),
  }
}

/** Fields in which two users' changes can conflict. */
const fields = [
  'text',
  'media',
  'title',
  'card',
  'comment',
  'profiles',
  'campaignId',
  'tags',
  'presetId',
  'when',
] as const
export type Field = (typeof fields)[number]

const valueIn = (composition: Composition, field: Field): unknown => {
  if (field === 'when') return [composition.when, composition.day, composition.time]
  if (field === 'media') return idsOf(composition)
  return composition[field]
}

/** Fields changed since the post was loaded, by user. */
export function findConflicts(base: Composition, mine: Composition, theirs: Composition) {
  return fields.flatMap((field) => {
    const [was, myValue, theirValue] = [base, mine, theirs].map((one) => valueIn(one, field))
    if (isSame(myValue, theirValue)) return []
    const [changedByMe, changedByThem] = [!isSame(myValue, was), !isSame(theirValue, was)]
    return changedByThem ? [{ field, isBoth: changedByMe }] : []
  })
}

/** The user's own content, with the chosen fields of the other user's. */
export function mergeFields(mine: Composition, theirs: Composition, taken: readonly Field[]): Composition {
  const made = Object.fromEntries(taken.map((field) => [field, theirs[field]])) as Partial<Composition>
  const { day, time } = theirs
  return { ...mine, ...made, ...(taken.includes('when') && { day, time }) }
}

interface Savable {
  draft: Draft
  written: DraftContent
  reading: LoadedPost | undefined
}

/** Another user's version of the post. */
export interface RemoteVersion {
  reading: LoadedPost
  /** The interrupted save: as a draft, or with unchanged status (undefined). */
  isDraft: boolean | undefined
}

export interface Saving {
  isBusy: boolean
  theirs: RemoteVersion | undefined
  reload: () => Promise<void>
  close: () => void
  save: (composition: Composition, isDraft: boolean | undefined) => Promise<void>
  /** Applies the merged content; the other user's version becomes the new base. */
  merge: (composition: Composition, saves: boolean) => void
}

/** Saves an existing post through the contract's update operations. Changes made by others are resolved with the user first. */
export function usePostSaving({ draft, written, reading }: Savable): Saving {
  const [isBusy, setIsBusy] = useState(false)
  const [theirs, setTheirs] = useState<RemoteVersion>()
  const base = useRef(written.base)
  base.current = written.base
  const reload = async () => {
    if (!reading) return
    const latest = await readPost(reading.post.Id)
    setTheirs({ reading: latest, isDraft: undefined })
  }
  const save = async (composition: Composition, isDraft: boolean | undefined) => {
    const read = base.current
    if (!reading || !read || isBusy) return
    const { Id } = reading.post
    setIsBusy(true)
    try {
      const latest = await readPost(Id)
      if (latest.stamp !== read.stamp && findConflicts(read.composition, composition, latest.composition).length > 0)
        return setTheirs({ reading: latest, isDraft })
      const isWaiting = await write(latest, composition, isDraft)
      await draft.copy?.discard()
      invalidate('POST /calendar', 'GET /overview', 'GET /draft', 'v2 GET /post/{id}', 'v2 GET /message/{id}')
      invalidate('GET /workflow-item', 'GET /workflow-item/{id}')
      toast(isWaiting ? texts.composer.savedForApproval : texts.composer.savedPost)
      navigate(`/app/calendar?day=${composition.day}&post=${Id}`)
    } catch (error) {
      // Changed between reading and writing.
      if (error instanceof ApiError && error.kind === 'changed')
        return setTheirs({ reading: await readPost(Id), isDraft })
      toast(errorDetails(error).message, { kind: 'problem' })
    } finally {
      setIsBusy(false)
    }
  }
  const merge = (composition: Composition, saves: boolean) => {
    if (!theirs) return
    const { reading: latest, isDraft } = theirs
    base.current = { composition: latest.composition, stamp: latest.stamp }
    draft.replace({ composition, base: base.current })
    setTheirs(undefined)
    if (saves) void save(composition, isDraft)
  }
  return { isBusy, theirs, reload, close: () => setTheirs(undefined), save, merge }
}

/**
 * The message is written first, so that the post can't be published with the old text. Changes of the post made by others are kept. Returns
 * whether the post now waits for approval.
 */
async function write(latest: LoadedPost, mine: Composition, isDraft: boolean | undefined): Promise<boolean> {
  const { post, message, tags, composition: base } = latest
  const ofMessage = messageChanges(base, mine)
  const state = { isDraft: isDraft ?? post.Status.endsWith('draft'), isAsked: isDraft !== undefined }
  const ofPost = postChanges(base, mine, state)
  const changesWords = Object.keys(ofMessage).length > 0
  if (changesWords) await call('v2 POST /message/{id}', { id: message.Id, ...ofMessage }, { ifMatch: tags.message })
  if (Object.keys(ofPost).length === 0) return changesWords && isPending((await readPost(post.Id)).post)
  // A changed message gives the post a new ETag, so the post is read again.
  const after = changesWords ? await readPost(post.Id) : latest
  const others = postChanges(base, after.composition, { ...state, isAsked: false })
  if (Object.keys(others).length > 0) throw changedMeanwhile()
  return isPending((await call('v2 POST /post/{id}', { id: post.Id, ...ofPost }, { ifMatch: after.tags.post })).Post)
}

const isPending = ({ ApproveStatus }: { ApproveStatus: string }) => ApproveStatus === 'Pending'

const changedMeanwhile = () => new ApiError(texts.composer.changedWhy, { kind: 'changed' })
