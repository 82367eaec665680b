import { useEffect, useState } from 'react'
import type { Network } from '#networks/manifests.ts'
import { ApiError, call } from '@/api/call.ts'
import type { SyncedDraft } from '@/api/draft-sync.ts'
import { errorDetails, invalidate } from '@/api/queries.ts'
import { texts } from '@/i18n/texts.ts'
import { navigate } from '@/routes/router.ts'
import { parseTimestamp } from '@/time/days.ts'
import { toast } from '@/ui/toasts.tsx'
import { type Composition, clockAt, type Intent, type Profile } from './composition.ts'
import type { Draft, DraftContent } from './draft.ts'

interface Sendable {
  id: string
  draft: Draft
  networks: readonly Network[]
  profiles: readonly Profile[]
  /** Selects the version that was rejected. */
  onRefused: (network: Network | undefined) => void
}

/**
 * Submits all posts of a composition exactly once. The draft is on the server first and submitting deletes it in the same transaction. If
 * the response is lost, a missing draft proves that the submission took effect, so nothing is sent twice.
 */
export function useSubmit({ id, draft, networks, profiles, onRefused }: Sendable) {
  const [isBusy, setIsBusy] = useState(false)
  const [rejected, setRejected] = useState<ReadonlyMap<Network, string>>(new Map())
  const send = async (composition: Composition, intent: Intent) => {
    const { copy, sending } = draft
    if (!copy || isBusy) return
    setIsBusy(true)
    setRejected(new Map())
    try {
      const rules = await loadValidation()
      if (!rules) throw new Error(texts.composer.notLoaded)
      const body = rules.requestBody(id, composition, networks, profiles, intent)
      const text = JSON.stringify(body)
      await trySaveDraft(copy)
      const before = sending.current
      if (before && before.body !== text && !(await copy.exists()))
        return await finish(copy, texts.composer.wasSent, '')
      const key = before?.body === text ? before.key : crypto.randomUUID()
      sending.current = { key, body: text }
      copy.recordSubmission(sending.current)
      const { Items } = await call('POST /compose', body, { key })
      const [first] = Items
      await finish(copy, successMessage(composition, intent, Items), first ? calendarSearch(first.Post) : '')
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'lost') return toast(texts.composer.noAnswer, { kind: 'problem' })
      sending.current = undefined
      copy.recordSubmission(undefined)
      const parts = error instanceof ApiError ? Object.entries(error.parts) : []
      const problems = new Map(
        parts.flatMap(([at, reason]) => (networks[Number(at)] ? [[networks[Number(at)] as Network, reason]] : [])),
      )
      setRejected(problems)
      onRefused([...problems.keys()][0])
      toast(errorDetails(error).message, { kind: 'problem' })
    } finally {
      setIsBusy(false)
    }
  }
  return { send, isBusy, rejected, clearRejected: () => rejected.size > 0 && setRejected(new Map()) }
}

/** Saves the draft on the server if possible: a full draft quota must not block submitting. */
async function trySaveDraft(copy: SyncedDraft<DraftContent>) {
  try {
    await copy.save()
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'lost') throw error
  }
}

async function finish(copy: SyncedDraft<DraftContent>, message: string, where: string) {
  await copy.discard('local')
  invalidate('POST /calendar', 'GET /overview', 'GET /draft')
  toast(message)
  navigate(`/app/calendar${where}`)
}

const calendarSearch = ({ Id, StartDateTime }: { Id: string; StartDateTime: string }) =>
  `?day=${clockAt(parseTimestamp(StartDateTime)).day}&post=${Id}`

type CreatedPosts = readonly { Post: { ApproveStatus: string } }[]

function successMessage({ when }: Composition, { isDraft, workflowId }: Intent, made: CreatedPosts): string {
  if (workflowId || made.some(({ Post }) => Post.ApproveStatus === 'Pending'))
    return texts.composer.done.approval(made.length)
  return texts.composer.done[isDraft ? 'draft' : when](made.length)
}

/** The server's validation rules of all networks, loaded in the background: the user can write before they arrive and submit offline. */
const loading = Promise.all([import('./validation.ts'), import('./validation.ts')]).then(([verdict, parts]) => ({
  ...verdict,
  ...parts,
}))

export type Validation = Awaited<typeof loading>

export function useValidation(): Validation | undefined {
  const [rules, setRules] = useState<Validation>()
  useEffect(() => void loadValidation().then((loaded) => setRules(loaded)), [])
  return rules
}

/** Undefined if loading failed; the server validates anyway. */
export const loadValidation = (): Promise<Validation | undefined> => loading.catch(() => undefined)
