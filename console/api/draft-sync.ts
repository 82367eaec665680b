import { now } from '@/time/days.ts'
import { ApiError, call, isOffline, subscribeToConnection } from './call.ts'
import { deleteLocalDraft, readLocalDraft, saveLocalDraft } from './local-drafts.ts'
import { invalidate } from './queries.ts'

/** Where the current content is stored. */
export interface DraftStatus<Content> {
  /** `new`: nothing written yet. `local`: on this device. `saved`: also on the server, since `at`. */
  state: 'new' | 'local' | 'saved'
  at: number
  /** Another user, or the same user in another window, saved a different version under this id. Both are stored until one is chosen. */
  conflict: { theirs: Content; version: number } | undefined
}

interface StoredDraft<Content> {
  content: Content
  /** Version of the server's copy this was based on; 0 if there is none. */
  version: number
  isSaved: boolean
  /** A submission whose response was not received; it must not be sent a second time. */
  sending?: Submission
}

/** A started submission. With the same key and body it takes effect only once. */
export interface Submission {
  key: string
  body: string
}

interface DraftOptions<Content> {
  owner: string
  id: string
  titleOf: (content: Content) => string
  onStatus: (status: DraftStatus<Content>) => void
}

export interface SyncedDraft<Content> {
  /** The newer of the local and the server copy. `isGone` if the server's copy was deleted meanwhile, as submitting does. */
  read(): Promise<{ content: Content | undefined; isGone: boolean; sending: Submission | undefined }>
  /** Saves locally within 300 ms and on the server every two seconds. */
  write(content: Content): void
  /** Saves on the server immediately. Throws if that fails. */
  save(): Promise<void>
  /** Whether the draft still exists on the server: submitting a draft deletes it. */
  exists(): Promise<boolean>
  recordSubmission(sending: Submission | undefined): void
  resolveConflict(choice: 'mine' | 'theirs'): Content | undefined
  /** Deletes both copies, or only the local one if the server's is already deleted. */
  discard(where?: 'local'): Promise<void>
  close(): void
}

const saveInterval = 2_000

/** A draft stored on this device and on the server, so that the user can continue on another device. */
export function openSyncedDraft<Content>({
  owner,
  id,
  titleOf,
  onStatus,
}: DraftOptions<Content>): SyncedDraft<Content> {
  let stored: StoredDraft<Content> | undefined
  let status: DraftStatus<Content> = { state: 'new', at: 0, conflict: undefined }
  let timer: ReturnType<typeof setTimeout> | undefined
  let saving: Promise<void> | undefined
  /** The text of the last save request: identifies our own copy when its response was lost. */
  let lastSentText = ''
  let isClosed = false
  const setStatus = (changes: Partial<DraftStatus<Content>>) => {
    status = { ...status, ...changes }
    if (!isClosed) onStatus(status)
  }
  const storeLocally = () => stored && saveLocalDraft(owner, id, stored)
  const scheduleSave = () => {
    if (isClosed || status.conflict || timer) return
    timer = setTimeout(() => {
      timer = undefined
      void save().catch(() => {})
    }, saveInterval)
  }

  async function save(): Promise<void> {
    await saving?.catch(() => {})
    if (!stored || stored.isSaved || status.conflict) return
    clearTimeout(timer)
    timer = undefined
    saving = upload(stored).finally(() => {
      saving = undefined
    })
    return saving
  }

  async function upload(sent: StoredDraft<Content>) {
    const text = JSON.stringify(sent.content)
    const title = titleOf(sent.content)
    try {
      lastSentText = text
      const { Draft } = await call('PUT /draft/{id}', { id, kind: 'post', title, content: text, version: sent.version })
      onSaved(sent, Draft.Version)
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'conflict') throw error
      await handleConflict(sent, text, error)
    }
  }

  function onSaved(sent: StoredDraft<Content>, version: number) {
    if (!stored) return
    const isSaved = stored.content === sent.content
    stored = { ...stored, version, isSaved }
    storeLocally()
    setStatus({ state: isSaved ? 'saved' : 'local', at: now() })
    if (sent.version === 0) invalidate('GET /draft')
    if (!isSaved) scheduleSave()
  }

  /** The server has a different version: either ours, with a lost response, or another user's. */
  async function handleConflict(sent: StoredDraft<Content>, text: string, conflictError: ApiError): Promise<void> {
    const remote = await fetchRemote()
    if (!remote) {
      // The draft limit of the account is reached.
      if (!stored || sent.version === 0) throw conflictError
      // Deleted on another device while it was being edited here: save the local copy as a new draft.
      stored = { ...stored, version: 0 }
      return upload(stored)
    }
    if (remote.Content === text || remote.Content === lastSentText) return onSaved(sent, remote.Version)
    setStatus({ conflict: { theirs: JSON.parse(remote.Content) as Content, version: remote.Version } })
  }

  /** Read from the list, because a missing draft is not an error here. */
  const fetchRemote = async () => {
    const { Items } = await call('GET /draft', { _count: 100 })
    return Items.some(({ Id }) => Id === id) ? (await call('GET /draft/{id}', { id })).Draft : undefined
  }

  const unsubscribe = subscribeToConnection(() => {
    if (!isOffline() && stored && !stored.isSaved) scheduleSave()
  })

  return {
    async read() {
      const local = (await readLocalDraft<StoredDraft<Content>>(owner, id))?.content
      // Without a response the local copy is all there is.
      const remote = await fetchRemote().catch(() => null)
      if (
        local &&
        remote &&
        remote.Version !== local.version &&
        !local.isSaved &&
        remote.Content !== JSON.stringify(local.content)
      )
        setStatus({ conflict: { theirs: JSON.parse(remote.Content) as Content, version: remote.Version } })
      const useRemote = remote && (!local || (local.isSaved && remote.Version !== local.version))
      if (useRemote) stored = { content: JSON.parse(remote.Content) as Content, version: remote.Version, isSaved: true }
      else if (local) stored = { ...local, ...(remote === undefined && { version: 0, isSaved: false }) }
      if (stored) setStatus({ state: stored.isSaved ? 'saved' : 'local', at: now() })
      if (stored && !stored.isSaved) scheduleSave()
      const isGone = remote === undefined && local !== undefined && local.version > 0
      return { content: stored?.content, isGone, sending: stored?.sending }
    },
    write(content) {
      stored = { ...stored, content, version: stored?.version ?? 0, isSaved: false }
      storeLocally()
      if (status.state !== 'local') setStatus({ state: 'local' })
      scheduleSave()
    },
    save,
    exists: async () => (await fetchRemote()) !== undefined,
    recordSubmission(sending) {
      if (!stored) return
      const { sending: _before, ...rest } = stored
      stored = { ...rest, ...(sending && { sending }) }
      storeLocally()
    },
    resolveConflict(choice) {
      const { conflict } = status
      if (!conflict || !stored) return undefined
      const isTheirs = choice === 'theirs'
      const content = isTheirs ? conflict.theirs : stored.content
      stored = { content, version: conflict.version, isSaved: isTheirs }
      storeLocally()
      setStatus({ conflict: undefined, state: isTheirs ? 'saved' : 'local', at: now() })
      if (!isTheirs) scheduleSave()
      return content
    },
    async discard(where) {
      isClosed = true
      clearTimeout(timer)
      const existsOnServer = where !== 'local' && (stored?.version ?? 0) > 0
      stored = undefined
      await saving?.catch(() => {})
      await deleteLocalDraft(owner, id)
      if (existsOnServer) await call('DELETE /draft/{id}', { id }).catch(() => {})
    },
    close() {
      isClosed = true
      unsubscribe()
      clearTimeout(timer)
      if (stored && !stored.isSaved && !status.conflict) void save().catch(() => {})
    },
  }
}
