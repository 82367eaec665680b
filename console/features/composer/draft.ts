import { useCallback, useEffect, useRef, useState } from 'react'
import { type DraftStatus, openSyncedDraft, type Submission, type SyncedDraft } from '@/api/draft-sync.ts'
import { useSession } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { hrefWith, navigate } from '@/routes/router.ts'
import { toast } from '@/ui/toasts.tsx'
import { type Composition, emptyComposition, isEmpty, nameOf } from './composition.ts'

/** Content of a draft and, for an existing post, the version it is based on. */
export interface DraftContent {
  composition: Composition
  base?: BaseVersion
}

/** A post as it was when editing started. */
export interface BaseVersion {
  composition: Composition
  /** Identifies the version, for detecting later changes. */
  stamp: string
}

/** An open draft, stored locally and on the server, with the state of a submission whose response was lost. */
export interface Draft {
  written: DraftContent | undefined
  saveStatus: DraftStatus<DraftContent>
  change: (changes: Partial<Composition>) => void
  replace: (written: DraftContent) => void
  settle: (choice: 'mine' | 'theirs') => void
  startOver: () => void
  copy: SyncedDraft<DraftContent> | undefined
  sending: React.RefObject<Submission | undefined>
}

const emptyStatus: DraftStatus<DraftContent> = { state: 'new', at: 0, conflict: undefined }

/** Opens the stored draft of the id, otherwise starts with the result of `begin`. */
export function useDraft(id: string, begin: () => Promise<DraftContent>): Draft {
  const { User } = useSession()
  const [written, setWritten] = useState<DraftContent>()
  const [saveStatus, setSaveStatus] = useState(emptyStatus)
  const copy = useRef<SyncedDraft<DraftContent>>(undefined)
  const sending = useRef<Submission>(undefined)
  const latest = useRef<DraftContent>(undefined)
  const store = useCallback((next: DraftContent, isWritten: boolean) => {
    latest.current = next
    setWritten(next)
    if (isWritten) copy.current?.write(next)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new id opens another draft; `begin` is called once
  useEffect(() => {
    let isClosed = false
    const opened = openSyncedDraft<DraftContent>({
      owner: User.Id,
      id,
      titleOf: ({ composition }) => nameOf(composition),
      onStatus: (next) => !isClosed && setSaveStatus(next),
    })
    copy.current = opened
    opened
      .read()
      .then(async ({ content, isGone, sending: submission }) => {
        if (isClosed) return
        if (isGone && submission) return showSubmitted(opened)
        sending.current = submission
        if (isGone) toast(texts.composer.goneElsewhere)
        const next = content ?? (await begin())
        if (!isClosed && !latest.current) store(next, false)
      })
      .catch((error: unknown) => toast(error instanceof Error ? error.message : String(error), { kind: 'problem' }))
    return () => {
      isClosed = true
      // Empty drafts are discarded.
      if (latest.current && !latest.current.base && isEmpty(latest.current.composition)) void opened.discard()
      opened.close()
    }
  }, [id, User.Id])
  const change = useCallback(
    (changes: Partial<Composition>) => {
      const before = latest.current
      if (before) store({ ...before, composition: { ...before.composition, ...changes } }, true)
    },
    [store],
  )
  const replace = useCallback((next: DraftContent) => store(next, true), [store])
  const settle = useCallback(
    (choice: 'mine' | 'theirs') => {
      const chosen = copy.current?.resolveConflict(choice)
      if (chosen) store(chosen, false)
    },
    [store],
  )
  const startOver = useCallback(() => {
    const before = latest.current
    if (!before) return
    const { campaignId, day, time } = before.composition
    store({ ...before, composition: before.base?.composition ?? emptyComposition(day, time, campaignId) }, true)
    toast(texts.composer.startedOver, { action: { label: texts.ui.undo, run: () => store(before, true) } })
  }, [store])
  return { written, saveStatus, change, replace, settle, startOver, copy: copy.current, sending }
}

/** The submission took effect although its response was lost: submitting deletes the draft in the same transaction. */
async function showSubmitted(copy: SyncedDraft<DraftContent>) {
  await copy.discard('local')
  toast(texts.composer.wasSent, {
    action: { label: texts.composer.showIt, run: () => navigate('/app/calendar') },
  })
  navigate(hrefWith({ draft: newDraftId() }), { replace: true })
}

export const newDraftId = () => `compose-${crypto.randomUUID().slice(0, 13)}`
