import { lazy, Suspense, useEffect, useMemo } from 'react'
import { call } from '@/api/call.ts'
import { told, useCall } from '@/api/queries.ts'
import { readersZone } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { go, useAddress, withSearch } from '@/routes/router.ts'
import { addDays, type Day, dayAt, dayLength, isDay, now, zoneLens } from '@/time/days.ts'
import { networks } from '@/ui/badges.tsx'
import { Bar } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { attachedById } from './attachments.tsx'
import { Loading, type Opened, Writing } from './composer-form.tsx'
import { type Composition, emptyComposition, type Profile } from './composition.ts'
import { newDraftId, useDraft, type Written } from './draft.ts'

const Existing = lazy(async () => ({ default: (await import('./existing-post.tsx')).Existing }))

/** Where posts are written: a new one, or one that was not sent yet. What is written belongs to a draft, which stands in the address. */
export function Composer() {
  const { search } = useAddress()
  const postId = search.get('post') ?? ''
  const draftId = postId ? `post-${postId}` : (search.get('draft') ?? '')
  useEffect(() => {
    if (!draftId) go(withSearch({ draft: newDraftId() }), { replace: true })
  }, [draftId])
  const { data, error, refetch } = useCall('GET /credential-health', {})
  const profiles = useMemo(
    () => (data?.Items ?? []).filter((one): one is Profile => (networks as readonly string[]).includes(one.Network)),
    [data],
  )
  if (!data || !draftId)
    return (
      <>
        <Bar title={postId ? words.composer.editPost : words.composer.newPost} />
        {error ? <Problem {...told(error)} onAgain={() => void refetch()} /> : <Waiting />}
      </>
    )
  return postId ? (
    <Suspense fallback={<Loading title={words.composer.editPost} />}>
      <Existing key={draftId} id={postId} {...{ draftId, profiles }} />
    </Suspense>
  ) : (
    <New key={draftId} {...{ draftId, profiles }} />
  )
}

function New({ draftId, profiles }: Opened) {
  const { search } = useAddress()
  const draft = useDraft(draftId, () => begin(search))
  return draft.written ? (
    <Writing {...{ draftId, draft, profiles }} written={draft.written} />
  ) : (
    <Loading title={words.composer.newPost} />
  )
}

/** What a new one begins with: what the address asks for, else tomorrow morning and the campaign used last. */
async function begin(search: URLSearchParams): Promise<Written> {
  const campaignId = search.get('campaign') ?? (await usualCampaign())
  const begun = emptyComposition(...firstMoment(search.get('day') ?? ''), campaignId)
  const copied = search.get('copy')
  if (copied) return { composition: await (await import('./post-editing.ts')).copyOf(copied, begun) }
  const media = await attachedById((search.get('asset') ?? '').split(','))
  return { composition: { ...begun, media } satisfies Composition }
}

const usualTime = '09:30'

function firstMoment(asked: string): [Day, string] {
  const at = now()
  const lens = zoneLens(readersZone(), at - dayLength, at + dayLength)
  const today = dayAt(lens, at)
  if (!isDay(asked) || asked < today) return [addDays(today, 1), usualTime]
  if (asked > today) return [asked, usualTime]
  // Today: the next half hour that leaves time to write.
  const half = 30 * 60_000
  const wall = Math.ceil((lens.wall(at) + half / 2) / half) * half
  return [new Date(wall).toISOString().slice(0, 10), new Date(wall).toISOString().slice(11, 16)]
}

async function usualCampaign(): Promise<string> {
  const found = await call('v2 GET /campaign', { status: 'active', _order: 'created,0', _count: 1 }).catch(
    () => undefined,
  )
  return found?.Items[0]?.Id ?? ''
}
