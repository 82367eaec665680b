import { createStore, useStore } from '@/store.ts'
import { ApiError, call } from './call.ts'
import { invalidate } from './queries.ts'

/** A file being uploaded into the library. */
export interface Upload {
  id: number
  name: string
  size: number
  sent: number
  /** Recent bytes per second. */
  speed: number
  state: 'waiting' | 'sending' | 'broken-off' | 'done' | 'failed'
  /** The error message of the server. */
  problem: string
  /** Id in the library once the upload is complete. */
  mediaId: string
}

const chunkBytes = 8 * 1024 * 1024
const maxConcurrent = 2
/** Backoff in milliseconds for interrupted uploads; the last delay repeats. */
const retryDelays = [1_000, 2_000, 5_000, 10_000, 30_000]

const uploads = createStore<readonly Upload[]>([])
let last = 0

/** Uploads in progress and those that just finished. */
export const useUploads = () => useStore(uploads)

function updateUpload(id: number, changes: Partial<Upload>) {
  uploads.set(uploads.get().map((one) => (one.id === id ? { ...one, ...changes } : one)))
}

/** Removes a finished or failed upload from the list. */
export function dismissUpload(id: number) {
  uploads.set(uploads.get().filter((one) => one.id !== id))
  files.delete(id)
}

const files = new Map<number, { file: File; folderId: string }>()

/**
 * Uploads files in chunks. An interrupted upload resumes when the same file is chosen again, even after leaving the page. Returns the
 * upload ids.
 */
export function upload(chosen: readonly File[], folderId: string): number[] {
  const added = chosen.map((file): Upload => {
    const id = ++last
    files.set(id, { file, folderId })
    return { id, name: file.name, size: file.size, sent: 0, speed: 0, state: 'waiting', problem: '', mediaId: '' }
  })
  uploads.set([...uploads.get(), ...added])
  startNext()
  return added.map(({ id }) => id)
}

export function retryUpload(id: number) {
  updateUpload(id, { state: 'waiting', problem: '' })
  startNext()
}

/** Warns before the page is left during an upload. */
addEventListener('beforeunload', (event) => {
  if (uploads.get().some(({ state }) => state === 'sending' || state === 'broken-off')) event.preventDefault()
})

function startNext() {
  const inProgress = uploads.get().filter(({ state }) => state === 'sending' || state === 'broken-off').length
  for (const { id } of uploads
    .get()
    .filter(({ state }) => state === 'waiting')
    .slice(0, Math.max(0, maxConcurrent - inProgress))) {
    updateUpload(id, { state: 'sending' })
    void send(id).finally(startNext)
  }
}

async function send(id: number) {
  const known = files.get(id)
  if (!known) return
  const { file, folderId } = known
  for (let attempt = 0; ; attempt++) {
    try {
      const resumed = await resumeOrCreate(file, folderId)
      let at = resumed.at
      let mediaId = ''
      updateUpload(id, { state: 'sending', sent: at })
      while (at < file.size) {
        const storedId = performance.now()
        const answer = await sendChunk(resumed.uploadId, at, file.slice(at, at + chunkBytes))
        const bytesPerSecond = ((answer.Offset - at) * 1000) / Math.max(1, performance.now() - storedId)
        at = answer.Offset
        mediaId = answer.MediaId ?? ''
        attempt = 0
        updateUpload(id, { sent: at, speed: bytesPerSecond })
      }
      clearUploadId(file)
      updateUpload(id, { state: 'done', sent: file.size, mediaId })
      invalidate('GET /media', 'v2 GET /media')
      return
    } catch (error) {
      const failure = error instanceof ApiError ? error : undefined
      if (failure?.kind !== 'lost' && failure?.kind !== 'limited' && failure?.kind !== 'unavailable') {
        clearUploadId(file)
        return updateUpload(id, { state: 'failed', problem: error instanceof Error ? error.message : String(error) })
      }
      updateUpload(id, { state: 'broken-off' })
      await new Promise((resolve) => setTimeout(resolve, retryDelays[Math.min(attempt, retryDelays.length - 1)]))
    }
  }
}

/** Continues an upload that was started before; otherwise creates one. */
async function resumeOrCreate(file: File, folderId: string): Promise<{ uploadId: string; at: number }> {
  const storedId = loadUploadId(file)
  if (storedId) {
    const found = await call('GET /media/{id}', { id: storedId }).catch((error: unknown) => {
      if (error instanceof ApiError && error.kind === 'missing') return undefined
      throw error
    })
    if (found?.Upload.Status === 'pending') return { uploadId: storedId, at: found.Upload.Downloaded }
  }
  const { Upload } = await call('POST /media', { name: file.name, size: file.size, mimeType: file.type, folderId })
  storeUploadId(file, Upload.Id)
  return { uploadId: Upload.Id, at: 0 }
}

/** Sends one chunk. The response to the last one arrives after the server has inspected the file. */
async function sendChunk(id: string, offset: number, chunk: Blob): Promise<{ Offset: number; MediaId: string | null }> {
  let response: Response
  try {
    response = await fetch(`/app/api/media/${encodeURIComponent(id)}?offset=${offset}`, {
      method: 'PUT',
      headers: { 'x-chorus-console': '1', 'content-type': 'application/octet-stream' },
      body: chunk,
    })
  } catch {
    throw new ApiError('The service did not answer.', { kind: 'lost' })
  }
  const body = (await response.json().catch(() => ({}))) as {
    Offset: number
    MediaId: string | null
    Errors?: { API?: { Error?: string } }
  }
  if (response.ok) return body
  const message = body.Errors?.API?.Error ?? `The service answered with the status ${response.status}.`
  // Another writer, or a chunk that arrived although its response was lost: ask the server for the offset.
  const kind = [401, 409, 429, 502, 503].includes(response.status) ? 'lost' : 'fault'
  throw new ApiError(message, { kind, status: response.status })
}

const storageKey = ({ name, size, lastModified }: File) => `chorus.upload.${size}.${lastModified}.${name}`

function loadUploadId(file: File): string | null {
  try {
    return localStorage.getItem(storageKey(file))
  } catch {
    return null
  }
}

function storeUploadId(file: File, id: string) {
  try {
    localStorage.setItem(storageKey(file), id)
  } catch {}
}

function clearUploadId(file: File) {
  try {
    localStorage.removeItem(storageKey(file))
  } catch {}
}
