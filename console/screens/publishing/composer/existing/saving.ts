import { useRef, useState } from 'react'
import { go } from '../../../../shell/router.ts'
import { say } from '../../../../ui/layers/toasts.tsx'
import { CallFailure, call } from '../../../../wire/call.ts'
import { readAgain, told } from '../../../../wire/queries.ts'
import { words } from '../../../../words/words.ts'
import type { Composition } from '../composition.ts'
import type { Draft, Written } from '../draft.ts'
import { compare, messageChanges, postChanges, type Reading, readPost } from './editing.ts'

interface Savable {
  draft: Draft
  written: Written
  reading: Reading | undefined
}

/** What somebody else has made of the post meanwhile. */
export interface Theirs {
  reading: Reading
  /** What was about to be saved: whether as a draft, or as it stood. */
  isDraft: boolean | undefined
}

export interface Saving {
  isBusy: boolean
  theirs: Theirs | undefined
  look: () => Promise<void>
  close: () => void
  save: (composition: Composition, isDraft: boolean | undefined) => Promise<void>
  /** Takes what was chosen of both; what they have is what it is compared with from then on. */
  merge: (composition: Composition, saves: boolean) => void
}

/** Saves a post that there is already, by the contract's updates; who changed it meanwhile is asked about first. */
export function useSaving({ draft, written, reading }: Savable): Saving {
  const [isBusy, setIsBusy] = useState(false)
  const [theirs, setTheirs] = useState<Theirs>()
  const base = useRef(written.base)
  base.current = written.base
  const look = async () => {
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
      if (latest.stamp !== read.stamp && compare(read.composition, composition, latest.composition).length > 0)
        return setTheirs({ reading: latest, isDraft })
      const isWaiting = await write(latest, composition, isDraft)
      await draft.copy?.forget()
      readAgain('POST /calendar', 'GET /overview', 'GET /draft', 'v2 GET /post/{id}', 'v2 GET /message/{id}')
      readAgain('GET /workflow-item', 'GET /workflow-item/{id}')
      say(isWaiting ? words.composer.savedForApproval : words.composer.savedPost)
      go(`/app/calendar?day=${composition.day}&post=${Id}`)
    } catch (error) {
      // Within the moment between reading and writing.
      if (error instanceof CallFailure && error.kind === 'changed')
        return setTheirs({ reading: await readPost(Id), isDraft })
      say(told(error).sentence, { kind: 'problem' })
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
  return { isBusy, theirs, look, close: () => setTheirs(undefined), save, merge }
}

/**
 * The words first: it must not go out with those from before. What others changed of the post until then is not undone. Tells whether the post
 * waits for approval now.
 */
async function write(latest: Reading, mine: Composition, isDraft: boolean | undefined): Promise<boolean> {
  const { post, message, tags, composition: base } = latest
  const ofMessage = messageChanges(base, mine)
  const stands = { isDraft: isDraft ?? post.Status.endsWith('draft'), isAsked: isDraft !== undefined }
  const ofPost = postChanges(base, mine, stands)
  const changesWords = Object.keys(ofMessage).length > 0
  if (changesWords) await call('v2 POST /message/{id}', { id: message.Id, ...ofMessage }, { ifMatch: tags.message })
  if (Object.keys(ofPost).length === 0) return changesWords && isPending((await readPost(post.Id)).post)
  // Other words make it another post, as everybody sees it who reads it now.
  const after = changesWords ? await readPost(post.Id) : latest
  const others = postChanges(base, after.composition, { ...stands, isAsked: false })
  if (Object.keys(others).length > 0) throw changedMeanwhile()
  return isPending((await call('v2 POST /post/{id}', { id: post.Id, ...ofPost }, { ifMatch: after.tags.post })).Post)
}

const isPending = ({ ApproveStatus }: { ApproveStatus: string }) => ApproveStatus === 'Pending'

const changedMeanwhile = () => new CallFailure(words.composer.changedWhy, { kind: 'changed' })
