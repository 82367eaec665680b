import { now } from '@/time/days.ts'

/** Text being written, stored on this device until it is submitted: it survives a reload, a crash and an outage. */

export interface LocalDraft<Content = unknown> {
  /** What the draft belongs to: `compose`, `reply 0cv…`. */
  id: string
  /** Drafts are not shown to another user of the same browser. */
  owner: string
  changed: number
  content: Content
}

const writeDelay = 300
const pendingWrites = new Map<string, { draft: LocalDraft; timer: ReturnType<typeof setTimeout> }>()
/** Written to IndexedDB, but not confirmed yet. */
const inFlight = new Map<string, LocalDraft>()
/** Fallback until the page is closed, if the browser allows no storage. */
const inMemory = new Map<string, LocalDraft>()

/** Saves a draft within 300 ms, even during continuous typing, and before the page is unloaded. */
export function saveLocalDraft(owner: string, id: string, content: unknown): void {
  // Open the store now: there is no time for it while the page is unloading.
  void openStore().catch(() => {})
  const key = keyOf(owner, id)
  const timer = pendingWrites.get(key)?.timer ?? setTimeout(() => void write(key), writeDelay)
  pendingWrites.set(key, { draft: { id, owner, changed: now(), content }, timer })
}

export async function readLocalDraft<Content>(owner: string, id: string): Promise<LocalDraft<Content> | undefined> {
  const key = keyOf(owner, id)
  await restoreFlushed()
  const latest = pendingWrites.get(key)?.draft ?? inFlight.get(key) ?? inMemory.get(key)
  return (latest ?? (await withStore('readonly', (store) => store.get(key)))) as LocalDraft<Content> | undefined
}

export async function listLocalDrafts(owner: string): Promise<LocalDraft[]> {
  await restoreFlushed()
  await flushPending()
  const all = ((await withStore('readonly', (store) => store.getAll())) ?? [...inMemory.values()]) as LocalDraft[]
  return all.filter((draft) => draft.owner === owner).sort((one, other) => other.changed - one.changed)
}

export async function deleteLocalDraft(owner: string, id: string): Promise<void> {
  const key = keyOf(owner, id)
  clearTimeout(pendingWrites.get(key)?.timer)
  pendingWrites.delete(key)
  inMemory.delete(key)
  inFlight.delete(key)
  removeFlushed(key)
  await withStore('readwrite', (store) => store.delete(key))
}

const keyOf = (owner: string, id: string) => `${owner} ${id}`

async function write(key: string) {
  const { draft } = pendingWrites.get(key) ?? {}
  if (!draft) return
  pendingWrites.delete(key)
  inFlight.set(key, draft)
  if ((await withStore('readwrite', (store) => store.put(draft, key))) === undefined) inMemory.set(key, draft)
  else if (inFlight.get(key) === draft) removeFlushed(key)
  if (inFlight.get(key) === draft) inFlight.delete(key)
}

function flushPending(): Promise<unknown> {
  const all = [...pendingWrites]
  for (const [, { timer }] of all) clearTimeout(timer)
  return Promise.all(all.map(([key]) => write(key)))
}

// The last event that browsers reliably fire before a page is unloaded.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') flushToLocalStorage()
})
addEventListener('pagehide', flushToLocalStorage)

/**
 * IndexedDB may not complete a write during unload, and reports no error. Unconfirmed drafts go to localStorage, which writes
 * synchronously.
 */
function flushToLocalStorage() {
  const unconfirmed = [...inFlight, ...[...pendingWrites].map(([key, { draft }]) => [key, draft] as const)]
  for (const [key, draft] of unconfirmed)
    try {
      localStorage.setItem(storagePrefix + key, JSON.stringify(draft))
    } catch {}
  void flushPending()
}

const storagePrefix = 'chorus.draft '

function removeFlushed(key: string) {
  try {
    localStorage.removeItem(storagePrefix + key)
  } catch {}
}

/** Moves drafts that an unloaded page left in localStorage into IndexedDB, if they are newer. */
async function restoreFlushed() {
  for (const [key, draft] of flushedDrafts()) {
    const stored = (await withStore('readonly', (store) => store.get(key))) as LocalDraft | undefined
    if (stored && stored.changed >= draft.changed) removeFlushed(key)
    else if ((await withStore('readwrite', (store) => store.put(draft, key))) === undefined) inMemory.set(key, draft)
    else removeFlushed(key)
  }
}

function flushedDrafts(): [key: string, draft: LocalDraft][] {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(storagePrefix) && !inFlight.has(name.slice(storagePrefix.length)))
      .map((name) => [name.slice(storagePrefix.length), JSON.parse(localStorage.getItem(name) ?? '') as LocalDraft])
  } catch {
    return []
  }
}

let opening: Promise<IDBDatabase> | undefined

function openStore(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('chorus', 1)
    request.onupgradeneeded = () => void request.result.createObjectStore('drafts')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
  return opening
}

/** Undefined if the browser has no storage: some private windows, or a full disk. */
async function withStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  try {
    const store = (await openStore()).transaction('drafts', mode).objectStore('drafts')
    return await new Promise((resolve, reject) => {
      const request = act(store)
      // Commit explicitly: the page may be gone before the browser commits by itself.
      if (mode === 'readwrite') store.transaction.commit()
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error)
    })
  } catch {
    return undefined
  }
}
