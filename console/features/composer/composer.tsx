import { lazy, Suspense, useEffect, useMemo } from 'react'
import { call } from '@/api/call.ts'
import { errorDetails, useApiQuery } from '@/api/queries.ts'
import { userTimeZone } from '@/i18n/format.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, navigate, useLocation } from '@/routes/router.ts'
import { addDays, type Day, dayAt, dayLength, isDay, now, timeZoneClock } from '@/time/days.ts'
import { networks } from '@/ui/badges.tsx'
import { PageHeader } from '@/ui/layout.tsx'
import { ErrorMessage, Loading } from '@/ui/states.tsx'
import { attachedById } from './attachments.tsx'
import { ComposerForm, LoadingScreen, type OpenDraft } from './composer-form.tsx'
import { type Composition, emptyComposition, type Profile } from './composition.ts'
import { type DraftContent, newDraftId, useDraft } from './draft.ts'

const Existing = lazy(async () => ({ default: (await import('./existing-post.tsx')).ExistingPost }))

/** Writes a new post or edits an unsent one. The content belongs to a draft whose id is in the URL. */
export function Composer() {
  const { search } = useLocation()
  const postId = search.get('post') ?? ''
  const draftId = postId ? `post-${postId}` : (search.get('draft') ?? '')
  useEffect(() => {
    if (!draftId) navigate(hrefWith({ draft: newDraftId() }), { replace: true })
  }, [draftId])
  const { data, error, refetch } = useApiQuery('GET /credential-health', {})
  const profiles = useMemo(
    () => (data?.Items ?? []).filter((one): one is Profile => (networks as readonly string[]).includes(one.Network)),
    [data],
  )
  if (!data || !draftId)
    return (
      <>
        <PageHeader title={postId ? texts.composer.editPost : texts.composer.newPost} />
        {error ? <ErrorMessage {...errorDetails(error)} onRetry={() => void refetch()} /> : <Loading />}
      </>
    )
  return postId ? (
    <Suspense fallback={<LoadingScreen title={texts.composer.editPost} />}>
      <Existing key={draftId} id={postId} {...{ draftId, profiles }} />
    </Suspense>
  ) : (
    <New key={draftId} {...{ draftId, profiles }} />
  )
}

function New({ draftId, profiles }: OpenDraft) {
  const { search } = useLocation()
  const draft = useDraft(draftId, () => begin(search))
  return draft.written ? (
    <ComposerForm {...{ draftId, draft, profiles }} written={draft.written} />
  ) : (
    <LoadingScreen title={texts.composer.newPost} />
  )
}

/** Initial content of a new post: the URL parameters, otherwise tomorrow morning and the last used campaign. */
async function begin(search: URLSearchParams): Promise<DraftContent> {
  const campaignId = search.get('campaign') ?? (await defaultCampaign())
  const initial = emptyComposition(...firstMoment(search.get('day') ?? ''), campaignId)
  const copied = search.get('copy')
  if (copied) return { composition: await (await import('./post-editing.ts')).copyOf(copied, initial) }
  const media = await attachedById((search.get('asset') ?? '').split(','))
  return { composition: { ...initial, media } satisfies Composition }
}

const defaultTime = '09:30'

function firstMoment(asked: string): [Day, string] {
  const at = now()
  const clock = timeZoneClock(userTimeZone(), at - dayLength, at + dayLength)
  const today = dayAt(clock, at)
  if (!isDay(asked) || asked < today) return [addDays(today, 1), defaultTime]
  if (asked > today) return [asked, defaultTime]
  // For today: the next half hour that leaves time to write.
  const halfHour = 30 * 60_000
  const wallTime = Math.ceil((clock.wall(at) + halfHour / 2) / halfHour) * halfHour
  return [new Date(wallTime).toISOString().slice(0, 10), new Date(wallTime).toISOString().slice(11, 16)]
}

async function defaultCampaign(): Promise<string> {
  const found = await call('v2 GET /campaign', { status: 'active', _order: 'created,0', _count: 1 }).catch(
    () => undefined,
  )
  return found?.Items[0]?.Id ?? ''
}
