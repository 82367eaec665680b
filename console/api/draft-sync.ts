import { now } from '@/time/days.ts'
import { CallFailure, call, hearReach, isLost } from './call.ts'
import { forgetDraft, keepDraft, readDraft } from './local-drafts.ts'
import { readAgain } from './queries.ts'

/** How safe what somebody writes is at the moment. */
export interface Keeping<Content> {
  /** `new`: nothing was written. `here`: on this device. `saved`: on the server too, since `at`. */
  state: 'new' | 'here' | 'saved'
  at: number
  /** Somebody, or oneself in another window, saved something else under the same id: both are kept until one is chosen. */
  conflict: { theirs: Content; version: number } | undefined
}

interface Kept<Content> {
  content: Content
  /** Of the server's copy that this was made from; 0 where there was none. */
  version: number
  isSaved: boolean
  /** What it was sent with whose answer nobody has heard: it must not be sent a second time. */
  sending?: Sending
}

/** A sending that began: with the same key and the same body it takes effect once. */
export interface Sending {
  key: string
  body: string
}

interface Told<Content> {
  owner: string
  id: string
  titleOf: (content: Content) => string
  /** Hears how safe it is. */
  tell: (keeping: Keeping<Content>) => void
}

export interface DraftCopy<Content> {
  /** What was kept under the id, the newest of both places; `gone` where it was removed from the server meanwhile, as sending does. */
  read(): Promise<{ content: Content | undefined; isGone: boolean; sending: Sending | undefined }>
  /** Keeps it here within 300 ms, and on the server every two seconds. */
  write(content: Content): void
  /** Brings it to the server now. Throws where that cannot be done. */
  save(): Promise<void>
  /** Whether the server has it still: what was sent takes its draft along. */
  isThere(): Promise<boolean>
  noteSending(sending: Sending | undefined): void
  settle(whose: 'mine' | 'theirs'): Content | undefined
  /** Removes it from both places, or from here alone where the server has removed it already. */
  forget(where?: 'here'): Promise<void>
  close(): void
}

const everyMilliseconds = 2_000

/** What somebody writes, on this device and on the server, so that it can be gone on with anywhere. */
export function openDraft<Content>({ owner, id, titleOf, tell }: Told<Content>): DraftCopy<Content> {
  let kept: Kept<Content> | undefined
  let keeping: Keeping<Content> = { state: 'new', at: 0, conflict: undefined }
  let timer: ReturnType<typeof setTimeout> | undefined
  let underWay: Promise<void> | undefined
  /** What was given to the server last: an answer that got lost is known by it. */
  let given = ''
  let isOver = false
  const say = (changes: Partial<Keeping<Content>>) => {
    keeping = { ...keeping, ...changes }
    if (!isOver) tell(keeping)
  }
  const keepHere = () => kept && keepDraft(owner, id, kept)
  const later = () => {
    if (isOver || keeping.conflict || timer) return
    timer = setTimeout(() => {
      timer = undefined
      void save().catch(() => {})
    }, everyMilliseconds)
  }

  async function save(): Promise<void> {
    await underWay?.catch(() => {})
    if (!kept || kept.isSaved || keeping.conflict) return
    clearTimeout(timer)
    timer = undefined
    underWay = put(kept).finally(() => {
      underWay = undefined
    })
    return underWay
  }

  async function put(sent: Kept<Content>) {
    const text = JSON.stringify(sent.content)
    const title = titleOf(sent.content)
    try {
      given = text
      const { Draft } = await call('PUT /draft/{id}', { id, kind: 'post', title, content: text, version: sent.version })
      arrived(sent, Draft.Version)
    } catch (error) {
      if (!(error instanceof CallFailure) || error.kind !== 'conflict') throw error
      await meet(sent, text, error)
    }
  }

  function arrived(sent: Kept<Content>, version: number) {
    if (!kept) return
    const isSaved = kept.content === sent.content
    kept = { ...kept, version, isSaved }
    keepHere()
    say({ state: isSaved ? 'saved' : 'here', at: now() })
    if (sent.version === 0) readAgain('GET /draft')
    if (!isSaved) later()
  }

  /** The server has another one: mine, whose answer got lost, or somebody's. */
  async function meet(sent: Kept<Content>, text: string, refusal: CallFailure): Promise<void> {
    const there = await find()
    if (!there) {
      // There are as many as there may be.
      if (!kept || sent.version === 0) throw refusal
      // Removed while it was written elsewhere: what is here is kept as a new one.
      kept = { ...kept, version: 0 }
      return put(kept)
    }
    if (there.Content === text || there.Content === given) return arrived(sent, there.Version)
    say({ conflict: { theirs: JSON.parse(there.Content) as Content, version: there.Version } })
  }

  /** Looked for in the list: that there is none is nothing that went wrong. */
  const find = async () => {
    const { Items } = await call('GET /draft', { _count: 100 })
    return Items.some(({ Id }) => Id === id) ? (await call('GET /draft/{id}', { id })).Draft : undefined
  }

  const stopHearing = hearReach(() => {
    if (!isLost() && kept && !kept.isSaved) later()
  })

  return {
    async read() {
      const here = (await readDraft<Kept<Content>>(owner, id))?.content
      // Without an answer what is here is all there is.
      const there = await find().catch(() => null)
      if (
        here &&
        there &&
        there.Version !== here.version &&
        !here.isSaved &&
        there.Content !== JSON.stringify(here.content)
      )
        say({ conflict: { theirs: JSON.parse(there.Content) as Content, version: there.Version } })
      const takesTheirs = there && (!here || (here.isSaved && there.Version !== here.version))
      if (takesTheirs) kept = { content: JSON.parse(there.Content) as Content, version: there.Version, isSaved: true }
      else if (here) kept = { ...here, ...(there === undefined && { version: 0, isSaved: false }) }
      if (kept) say({ state: kept.isSaved ? 'saved' : 'here', at: now() })
      if (kept && !kept.isSaved) later()
      const isGone = there === undefined && here !== undefined && here.version > 0
      return { content: kept?.content, isGone, sending: kept?.sending }
    },
    write(content) {
      kept = { ...kept, content, version: kept?.version ?? 0, isSaved: false }
      keepHere()
      if (keeping.state !== 'here') say({ state: 'here' })
      later()
    },
    save,
    isThere: async () => (await find()) !== undefined,
    noteSending(sending) {
      if (!kept) return
      const { sending: _before, ...rest } = kept
      kept = { ...rest, ...(sending && { sending }) }
      keepHere()
    },
    settle(whose) {
      const { conflict } = keeping
      if (!conflict || !kept) return undefined
      const isTheirs = whose === 'theirs'
      const content = isTheirs ? conflict.theirs : kept.content
      kept = { content, version: conflict.version, isSaved: isTheirs }
      keepHere()
      say({ conflict: undefined, state: isTheirs ? 'saved' : 'here', at: now() })
      if (!isTheirs) later()
      return content
    },
    async forget(where) {
      isOver = true
      clearTimeout(timer)
      const isThere = where !== 'here' && (kept?.version ?? 0) > 0
      kept = undefined
      await underWay?.catch(() => {})
      await forgetDraft(owner, id)
      if (isThere) await call('DELETE /draft/{id}', { id }).catch(() => {})
    },
    close() {
      isOver = true
      stopHearing()
      clearTimeout(timer)
      if (kept && !kept.isSaved && !keeping.conflict) void save().catch(() => {})
    },
  }
}
