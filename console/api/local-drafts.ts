import { now } from '@/time/days.ts'

/** What somebody writes, kept on this device until it is where it belongs: it survives a reload, a crash and an outage. */

export interface Draft<Content = unknown> {
  /** What it is of: `compose`, `reply 0cv…`. */
  id: string
  /** Another user of the same browser does not see it. */
  owner: string
  changed: number
  content: Content
}

const quietFor = 300
const waiting = new Map<string, { draft: Draft; timer: ReturnType<typeof setTimeout> }>()
/** Given to the store, which has not said yet that it has them. */
const underWay = new Map<string, Draft>()
/** Where the browser keeps nothing, at least until the page is closed. */
const inMemory = new Map<string, Draft>()

/** Keeps a draft, within 300 ms however long somebody goes on typing, and before the page goes away. */
export function keepDraft(owner: string, id: string, content: unknown): void {
  // At once: when the page goes away there is no time to open anything.
  void openStore().catch(() => {})
  const key = keyOf(owner, id)
  const timer = waiting.get(key)?.timer ?? setTimeout(() => void write(key), quietFor)
  waiting.set(key, { draft: { id, owner, changed: now(), content }, timer })
}

export async function readDraft<Content>(owner: string, id: string): Promise<Draft<Content> | undefined> {
  const key = keyOf(owner, id)
  await takeIn()
  const kept = waiting.get(key)?.draft ?? underWay.get(key) ?? inMemory.get(key)
  return (kept ?? (await inStore('readonly', (store) => store.get(key)))) as Draft<Content> | undefined
}

export async function listDrafts(owner: string): Promise<Draft[]> {
  await takeIn()
  await writeWaiting()
  const all = ((await inStore('readonly', (store) => store.getAll())) ?? [...inMemory.values()]) as Draft[]
  return all.filter((draft) => draft.owner === owner).sort((one, other) => other.changed - one.changed)
}

export async function forgetDraft(owner: string, id: string): Promise<void> {
  const key = keyOf(owner, id)
  clearTimeout(waiting.get(key)?.timer)
  waiting.delete(key)
  inMemory.delete(key)
  underWay.delete(key)
  drop(key)
  await inStore('readwrite', (store) => store.delete(key))
}

const keyOf = (owner: string, id: string) => `${owner} ${id}`

async function write(key: string) {
  const { draft } = waiting.get(key) ?? {}
  if (!draft) return
  waiting.delete(key)
  underWay.set(key, draft)
  if ((await inStore('readwrite', (store) => store.put(draft, key))) === undefined) inMemory.set(key, draft)
  else if (underWay.get(key) === draft) drop(key)
  if (underWay.get(key) === draft) underWay.delete(key)
}

function writeWaiting(): Promise<unknown> {
  const all = [...waiting]
  for (const [, { timer }] of all) clearTimeout(timer)
  return Promise.all(all.map(([key]) => write(key)))
}

// The last moment of which a browser tells for certain.
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') leave()
})
addEventListener('pagehide', leave)

/** The store may not come to it any more, and says nothing of that: what it is not known to have is left where writing waits for nothing. */
function leave() {
  const unsure = [...underWay, ...[...waiting].map(([key, { draft }]) => [key, draft] as const)]
  for (const [key, draft] of unsure)
    try {
      localStorage.setItem(left + key, JSON.stringify(draft))
    } catch {}
  void writeWaiting()
}

const left = 'chorus.draft '

function drop(key: string) {
  try {
    localStorage.removeItem(left + key)
  } catch {}
}

/** Puts into the store what a page that went away left, if it is newer than what is there. */
async function takeIn() {
  for (const [key, draft] of leftDrafts()) {
    const known = (await inStore('readonly', (store) => store.get(key))) as Draft | undefined
    if (known && known.changed >= draft.changed) drop(key)
    else if ((await inStore('readwrite', (store) => store.put(draft, key))) === undefined) inMemory.set(key, draft)
    else drop(key)
  }
}

function leftDrafts(): [key: string, draft: Draft][] {
  try {
    return Object.keys(localStorage)
      .filter((name) => name.startsWith(left) && !underWay.has(name.slice(left.length)))
      .map((name) => [name.slice(left.length), JSON.parse(localStorage.getItem(name) ?? '') as Draft])
  } catch {
    return []
  }
}

let opening: Promise<IDBDatabase> | undefined

function openStore(): Promise<IDBDatabase> {
  opening ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open('chorus', 1)
    asked.onupgradeneeded = () => void asked.result.createObjectStore('drafts')
    asked.onsuccess = () => resolve(asked.result)
    asked.onerror = () => reject(asked.error)
  })
  return opening
}

/** Nothing where the browser keeps nothing: in some private windows, or when its disk is full. */
async function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  try {
    const store = (await openStore()).transaction('drafts', mode).objectStore('drafts')
    return await new Promise((resolve, reject) => {
      const asked = act(store)
      // Not when the browser comes to it: the page may be gone by then.
      if (mode === 'readwrite') store.transaction.commit()
      asked.onsuccess = () => resolve(asked.result)
      asked.onerror = () => reject(asked.error)
    })
  } catch {
    return undefined
  }
}
