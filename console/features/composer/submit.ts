import { useEffect, useState } from 'react'
import type { Network } from '#networks/manifests.ts'
import { CallFailure, call } from '@/api/call.ts'
import type { DraftCopy } from '@/api/draft-sync.ts'
import { readAgain, told } from '@/api/queries.ts'
import { words } from '@/i18n/texts.ts'
import { go } from '@/routes/router.ts'
import { momentOf } from '@/time/days.ts'
import { say } from '@/ui/toasts.tsx'
import { type Composition, clockAt, type Intent, type Profile } from './composition.ts'
import type { Draft, Written } from './draft.ts'

interface Sendable {
  id: string
  draft: Draft
  networks: readonly Network[]
  profiles: readonly Profile[]
  /** Leads to a version that was refused. */
  onRefused: (network: Network | undefined) => void
}

/**
 * Makes all posts of a composition, once. It is on the server as a draft before, and sending removes that in the same transaction: so whoever
 * did not hear the answer can ask whether the draft is still there, and nothing is sent a second time.
 */
export function useSending({ id, draft, networks, profiles, onRefused }: Sendable) {
  const [isBusy, setIsBusy] = useState(false)
  const [refused, setRefused] = useState<ReadonlyMap<Network, string>>(new Map())
  const send = async (composition: Composition, intent: Intent) => {
    const { copy, sending } = draft
    if (!copy || isBusy) return
    setIsBusy(true)
    setRefused(new Map())
    try {
      const rules = await loadedRules()
      if (!rules) throw new Error(words.composer.notLoaded)
      const body = rules.bodyOf(id, composition, networks, profiles, intent)
      const text = JSON.stringify(body)
      await saved(copy)
      const before = sending.current
      if (before && before.body !== text && !(await copy.isThere()))
        return await leave(copy, words.composer.wasSent, '')
      const key = before?.body === text ? before.key : crypto.randomUUID()
      sending.current = { key, body: text }
      copy.noteSending(sending.current)
      const { Items } = await call('POST /compose', body, { key })
      const [first] = Items
      await leave(copy, doneWords(composition, intent, Items), first ? placeOf(first.Post) : '')
    } catch (error) {
      if (error instanceof CallFailure && error.kind === 'lost')
        return say(words.composer.noAnswer, { kind: 'problem' })
      sending.current = undefined
      copy.noteSending(undefined)
      const parts = error instanceof CallFailure ? Object.entries(error.parts) : []
      const problems = new Map(
        parts.flatMap(([at, why]) => (networks[Number(at)] ? [[networks[Number(at)] as Network, why]] : [])),
      )
      setRefused(problems)
      onRefused([...problems.keys()][0])
      say(told(error).sentence, { kind: 'problem' })
    } finally {
      setIsBusy(false)
    }
  }
  return { send, isBusy, refused, forgive: () => refused.size > 0 && setRefused(new Map()) }
}

/** On the server, or not: an account may have no room for another draft, and that keeps nobody from sending. */
async function saved(copy: DraftCopy<Written>) {
  try {
    await copy.save()
  } catch (error) {
    if (!(error instanceof CallFailure) || error.kind === 'lost') throw error
  }
}

async function leave(copy: DraftCopy<Written>, sentence: string, where: string) {
  await copy.forget('here')
  readAgain('POST /calendar', 'GET /overview', 'GET /draft')
  say(sentence)
  go(`/app/calendar${where}`)
}

const placeOf = ({ Id, StartDateTime }: { Id: string; StartDateTime: string }) =>
  `?day=${clockAt(momentOf(StartDateTime)).day}&post=${Id}`

type Made = readonly { Post: { ApproveStatus: string } }[]

/** What is true now. */
function doneWords({ when }: Composition, { isDraft, workflowId }: Intent, made: Made): string {
  if (workflowId || made.some(({ Post }) => Post.ApproveStatus === 'Pending'))
    return words.composer.done.approval(made.length)
  return words.composer.done[isDraft ? 'draft' : when](made.length)
}

/** The service's own rules for all networks, which come beside the screen: one can write before they are there, and send without a connection. */
const loading = Promise.all([import('./validation.ts'), import('./validation.ts')]).then(([verdict, parts]) => ({
  ...verdict,
  ...parts,
}))

export type Rules = Awaited<typeof loading>

export function useRules(): Rules | undefined {
  const [rules, setRules] = useState<Rules>()
  useEffect(() => void loadedRules().then((loaded) => setRules(loaded)), [])
  return rules
}

/** Nothing where they could not be loaded: the service judges all the same. */
export const loadedRules = (): Promise<Rules | undefined> => loading.catch(() => undefined)
