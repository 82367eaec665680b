import { useSyncExternalStore } from 'react'
import { CallFailure, call } from './call.ts'
import { readAgain } from './queries.ts'

/** A file on its way from this browser into the library. */
export interface Sending {
  id: number
  name: string
  size: number
  sent: number
  /** Bytes in a second, lately. */
  pace: number
  state: 'waiting' | 'sending' | 'broken-off' | 'done' | 'failed'
  /** Why it failed, in the service's sentence. */
  problem: string
  /** What it became in the library, once it is there. */
  mediaId: string
}

const pieceBytes = 8 * 1024 * 1024
const atOnce = 2
/** After how many milliseconds it goes on when it was broken off; the last one again and again. */
const waits = [1_000, 2_000, 5_000, 10_000, 30_000]

let all: readonly Sending[] = []
let last = 0
const hearers = new Set<() => void>()
const listen = (hear: () => void) => {
  hearers.add(hear)
  return () => void hearers.delete(hear)
}

/** What is on its way, and what has just arrived. */
export const useUploads = () => useSyncExternalStore(listen, () => all)

function note(id: number, changes: Partial<Sending>) {
  all = all.map((one) => (one.id === id ? { ...one, ...changes } : one))
  for (const hear of hearers) hear()
}

/** Takes what is done or failed off the list. */
export function forgetUpload(id: number) {
  all = all.filter((one) => one.id !== id)
  files.delete(id)
  for (const hear of hearers) hear()
}

const files = new Map<number, { file: File; folderId: string }>()

/** Sends files one piece after the other. One that was broken off, even by leaving the page, goes on where it was when it is chosen again. Gives what each is called on its way. */
export function upload(chosen: readonly File[], folderId: string): number[] {
  const ids = chosen.map((file) => {
    const id = ++last
    files.set(id, { file, folderId })
    const { name, size } = file
    all = [...all, { id, name, size, sent: 0, pace: 0, state: 'waiting', problem: '', mediaId: '' }]
    return id
  })
  for (const hear of hearers) hear()
  begin()
  return ids
}

export function tryAgain(id: number) {
  note(id, { state: 'waiting', problem: '' })
  begin()
}

/** Who leaves the page while something is on its way is asked first. */
addEventListener('beforeunload', (event) => {
  if (all.some(({ state }) => state === 'sending' || state === 'broken-off')) event.preventDefault()
})

function begin() {
  const underWay = all.filter(({ state }) => state === 'sending' || state === 'broken-off').length
  for (const { id } of all.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, atOnce - underWay))) {
    note(id, { state: 'sending' })
    void send(id).finally(begin)
  }
}

async function send(id: number) {
  const known = files.get(id)
  if (!known) return
  const { file, folderId } = known
  for (let tries = 0; ; tries++) {
    try {
      const place = await placeOf(file, folderId)
      let at = place.at
      let mediaId = ''
      note(id, { state: 'sending', sent: at })
      while (at < file.size) {
        const begun = performance.now()
        const answer = await put(place.uploadId, at, file.slice(at, at + pieceBytes))
        const pace = ((answer.Offset - at) * 1000) / Math.max(1, performance.now() - begun)
        at = answer.Offset
        mediaId = answer.MediaId ?? ''
        tries = 0
        note(id, { sent: at, pace })
      }
      forgetPlace(file)
      note(id, { state: 'done', sent: file.size, mediaId })
      readAgain('GET /media', 'v2 GET /media')
      return
    } catch (error) {
      const failure = error instanceof CallFailure ? error : undefined
      if (failure?.kind !== 'lost' && failure?.kind !== 'limited' && failure?.kind !== 'unavailable') {
        forgetPlace(file)
        return note(id, { state: 'failed', problem: error instanceof Error ? error.message : String(error) })
      }
      note(id, { state: 'broken-off' })
      await new Promise((resolve) => setTimeout(resolve, waits[Math.min(tries, waits.length - 1)]))
    }
  }
}

/** Where a file goes on: where it was, if it was begun before, else at its beginning. */
async function placeOf(file: File, folderId: string): Promise<{ uploadId: string; at: number }> {
  const begun = recallPlace(file)
  if (begun) {
    const found = await call('GET /media/{id}', { id: begun }).catch((error: unknown) => {
      if (error instanceof CallFailure && error.kind === 'missing') return undefined
      throw error
    })
    if (found?.Upload.Status === 'pending') return { uploadId: begun, at: found.Upload.Downloaded }
  }
  const { Upload } = await call('POST /media', { name: file.name, size: file.size, mimeType: file.type, folderId })
  keepPlace(file, Upload.Id)
  return { uploadId: Upload.Id, at: 0 }
}

/** A piece as it is; the last one is answered when the service has looked into the file. */
async function put(id: string, offset: number, piece: Blob): Promise<{ Offset: number; MediaId: string | null }> {
  let response: Response
  try {
    response = await fetch(`/app/api/media/${encodeURIComponent(id)}?offset=${offset}`, {
      method: 'PUT',
      headers: { 'x-chorus-console': '1', 'content-type': 'application/octet-stream' },
      body: piece,
    })
  } catch {
    throw new CallFailure('The service did not answer.', { kind: 'lost' })
  }
  const body = (await response.json().catch(() => ({}))) as {
    Offset: number
    MediaId: string | null
    Errors?: { API?: { Error?: string } }
  }
  if (response.ok) return body
  const sentence = body.Errors?.API?.Error ?? `The service answered with the status ${response.status}.`
  // Somebody else's turn, or a piece that has arrived although its answer got lost: it is asked where to go on.
  const kind = [401, 409, 429, 502, 503].includes(response.status) ? 'lost' : 'fault'
  throw new CallFailure(sentence, { kind, status: response.status })
}

const placeName = ({ name, size, lastModified }: File) => `chorus.upload.${size}.${lastModified}.${name}`

function recallPlace(file: File): string | null {
  try {
    return localStorage.getItem(placeName(file))
  } catch {
    return null
  }
}

function keepPlace(file: File, id: string) {
  try {
    localStorage.setItem(placeName(file), id)
  } catch {}
}

function forgetPlace(file: File) {
  try {
    localStorage.removeItem(placeName(file))
  } catch {}
}
