import { useCallback, useEffect, useRef, useState } from 'react'
import { type DraftCopy, type Keeping, openDraft, type Sending } from '@/api/draft-sync.ts'
import { useWho } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { go, withSearch } from '@/routes/router.ts'
import { say } from '@/ui/toasts.tsx'
import { type Composition, emptyComposition, isEmpty, nameOf } from './composition.ts'

/** What a draft holds: what is written, and of a post that there is already how it was read. */
export interface Written {
  composition: Composition
  base?: Base
}

/** A post as it was when somebody began to change it. */
export interface Base {
  composition: Composition
  /** By which a later state is told from this one. */
  stamp: string
}

/** A draft while it is written: kept here and there, with what became of a sending whose answer got lost. */
export interface Draft {
  written: Written | undefined
  keeping: Keeping<Written>
  change: (changes: Partial<Composition>) => void
  replace: (written: Written) => void
  settle: (whose: 'mine' | 'theirs') => void
  startOver: () => void
  copy: DraftCopy<Written> | undefined
  sending: React.RefObject<Sending | undefined>
}

const nothing: Keeping<Written> = { state: 'new', at: 0, conflict: undefined }

/** Opens what is kept under an id, else begins with what `begin` gives. */
export function useDraft(id: string, begin: () => Promise<Written>): Draft {
  const { User } = useWho()
  const [written, setWritten] = useState<Written>()
  const [keeping, setKeeping] = useState(nothing)
  const copy = useRef<DraftCopy<Written>>(undefined)
  const sending = useRef<Sending>(undefined)
  const latest = useRef<Written>(undefined)
  const put = useCallback((next: Written, isWritten: boolean) => {
    latest.current = next
    setWritten(next)
    if (isWritten) copy.current?.write(next)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another id is another draft; how it begins is asked once
  useEffect(() => {
    let isClosed = false
    const opened = openDraft<Written>({
      owner: User.Id,
      id,
      titleOf: ({ composition }) => nameOf(composition),
      tell: (next) => !isClosed && setKeeping(next),
    })
    copy.current = opened
    opened
      .read()
      .then(async ({ content, isGone, sending: begun }) => {
        if (isClosed) return
        if (isGone && begun) return wasSent(opened)
        sending.current = begun
        if (isGone) say(words.composer.goneElsewhere)
        const next = content ?? (await begin())
        if (!isClosed && !latest.current) put(next, false)
      })
      .catch((error: unknown) => say(error instanceof Error ? error.message : String(error), { kind: 'problem' }))
    return () => {
      isClosed = true
      // Nobody looks for a draft of nothing.
      if (latest.current && !latest.current.base && isEmpty(latest.current.composition)) void opened.forget()
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
  const replace = useCallback((next: Written) => put(next, true), [put])
  const settle = useCallback(
    (whose: 'mine' | 'theirs') => {
      const chosen = copy.current?.settle(whose)
      if (chosen) put(chosen, false)
    },
    [put],
  )
  const startOver = useCallback(() => {
    const before = latest.current
    if (!before) return
    const { campaignId, day, time } = before.composition
    put({ ...before, composition: before.base?.composition ?? emptyComposition(day, time, campaignId) }, true)
    say(words.composer.startedOver, { action: { label: words.ui.undo, run: () => put(before, true) } })
  }, [put])
  return { written, keeping, change, replace, settle, startOver, copy: copy.current, sending }
}

/** It took effect although nobody heard the answer: sending removes its draft in the same moment. */
async function wasSent(copy: DraftCopy<Written>) {
  await copy.forget('here')
  say(words.composer.wasSent, {
    action: { label: words.composer.showIt, run: () => go('/app/calendar') },
  })
  go(withSearch({ draft: newDraftId() }), { replace: true })
}

export const newDraftId = () => `compose-${crypto.randomUUID().slice(0, 13)}`
