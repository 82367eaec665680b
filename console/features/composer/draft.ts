import { useCallback, useEffect, useRef, useState } from 'react'
import { type DraftStatus, openSyncedDraft, type Submission, type SyncedDraft } from '@/api/draft-sync.ts'
import { useSession } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, navigate } from '@/routes/router.ts'
import { toast } from '@/ui/toasts.tsx'
import { type Composition, emptyComposition, isEmpty, nameOf } from './composition.ts'

/** What a draft holds: what is written, and of a post that there is already how it was read. */
export interface DraftContent {
  composition: Composition
  base?: BaseVersion
}

/** A post as it was when somebody began to change it. */
export interface BaseVersion {
  composition: Composition
  /** By which a later state is told from this one. */
  stamp: string
}

/** A draft while it is written: kept here and there, with what became of a sending whose answer got lost. */
export interface Draft {
  written: DraftContent | undefined
  keeping: DraftStatus<DraftContent>
  change: (changes: Partial<Composition>) => void
  replace: (written: DraftContent) => void
  settle: (whose: 'mine' | 'theirs') => void
  startOver: () => void
  copy: SyncedDraft<DraftContent> | undefined
  sending: React.RefObject<Submission | undefined>
}

const emptyStatus: DraftStatus<DraftContent> = { state: 'new', at: 0, conflict: undefined }

/** Opens what is kept under an id, else begins with what `begin` gives. */
export function useDraft(id: string, begin: () => Promise<DraftContent>): Draft {
  const { User } = useSession()
  const [written, setWritten] = useState<DraftContent>()
  const [keeping, setKeeping] = useState(emptyStatus)
  const copy = useRef<SyncedDraft<DraftContent>>(undefined)
  const sending = useRef<Submission>(undefined)
  const latest = useRef<DraftContent>(undefined)
  const put = useCallback((next: DraftContent, isWritten: boolean) => {
    latest.current = next
    setWritten(next)
    if (isWritten) copy.current?.write(next)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another id is another draft; how it begins is asked once
  useEffect(() => {
    let isClosed = false
    const opened = openSyncedDraft<DraftContent>({
      owner: User.Id,
      id,
      titleOf: ({ composition }) => nameOf(composition),
      onStatus: (next) => !isClosed && setKeeping(next),
    })
    copy.current = opened
    opened
      .read()
      .then(async ({ content, isGone, sending: begun }) => {
        if (isClosed) return
        if (isGone && begun) return showSubmitted(opened)
        sending.current = begun
        if (isGone) toast(texts.composer.goneElsewhere)
        const next = content ?? (await begin())
        if (!isClosed && !latest.current) put(next, false)
      })
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), { kind: 'problem' }))
    return () => {
      isClosed = true
      // Nobody looks for a draft of nothing.
      if (latest.current && !latest.current.base && isEmpty(latest.current.composition)) void opened.discard()
      opened.close()
    }
  }, [id, User.Id])
  const change = useCallback(
    (changes: Partial<Composition>) => {
      const before = latest.current
      if (before) put({ ...before, composition: { ...before.composition, ...changes } }, true)
    },
    [put],
  )
  const replace = useCallback((next: DraftContent) => put(next, true), [put])
  const settle = useCallback(
    (whose: 'mine' | 'theirs') => {
      const chosen = copy.current?.resolveConflict(whose)
      if (chosen) put(chosen, false)
    },
    [put],
  )
  const startOver = useCallback(() => {
    const before = latest.current
    if (!before) return
    const { campaignId, day, time } = before.composition
    put({ ...before, composition: before.base?.composition ?? emptyComposition(day, time, campaignId) }, true)
    toast(texts.composer.startedOver, { action: { label: texts.ui.undo, run: () => put(before, true) } })
  }, [put])
  return { written, keeping, change, replace, settle, startOver, copy: copy.current, sending }
}

/** It took effect although nobody heard the answer: sending removes its draft in the same moment. */
async function showSubmitted(copy: SyncedDraft<DraftContent>) {
  await copy.discard('local')
  toast(texts.composer.wasSent, {
    action: { label: texts.composer.showIt, run: () => navigate('/app/calendar') },
  })
  navigate(hrefWith({ draft: newDraftId() }), { replace: true })
}

export const newDraftId = () => `compose-${crypto.randomUUID().slice(0, 13)}`
