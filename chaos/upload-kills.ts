import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HostileFile, manners } from '#areas/media/download/hostile-files.fixture.ts'
import { type HostileServer, startHostileServer } from '#areas/media/download/hostile-server.fixture.ts'
import { mp4 } from '#kernel/media-inspector/fixtures/mp4.fixture.ts'
import { randomness } from '../tests/support/randomness.ts'
import { type Installation, type InstallationOptions, openInstallation } from './installation.ts'

interface KillOptions extends Pick<InstallationOptions, 'small' | 'opened'> {
  files: number
  /** Uses smaller files. */
  smallFiles?: true
  kills: number
  seed: number
  log?: (line: string) => void
}

export interface UploadReport {
  files: number
  kills: number
  seed: number
  complete: number
  failed: number
  /** Complete, but with different bytes than the source. */
  wrong: number
  /** Failed without an error message. */
  unexplained: number
  /** Without a final state. */
  stuck: number
  /** Valid files that failed although every chunk has six attempts. */
  lostHonest: number
  /** Chunks of valid files that were requested again after a successful transfer. */
  fetchedAgain: number
  seconds: number
}

/** Concurrent downloads of a worker. */
export const downloadsAtOnce = 4

/** Kills the worker repeatedly while it downloads from a misbehaving server; then compares every byte. */
export async function uploadKills(options: KillOptions): Promise<UploadReport> {
  const { files, smallFiles, kills, seed, small, opened, log = () => {} } = options
  const started = performance.now()
  const random = randomness(seed)
  const server = await startHostileServer({ seed, files: videoFiles(seed, files, smallFiles), chunkFailures: 0.3 })
  const installation = await openInstallation({ small, opened })
  let worker = await installation.startWorker()
  try {
    const ids = await requestUploads(installation, server, files)
    for (let kill = 1; kill <= kills; kill++) {
      const before = servedChunks(server, files)
      // A new worker first waits for the lease of the previous one.
      for (let elapsed = 0; servedChunks(server, files) < before + 4 && elapsed < 120_000; elapsed += 20)
        await sleep(20)
      await sleep(random() * 1_500)
      worker.child.kill('SIGKILL')
      await worker.ended
      const { ended } = await countEnded(installation, ids)
      log(`kill ${kill} of ${kills}: ${ended} of ${ids.length} at their end`)
      worker = await installation.startWorker()
    }
    for (
      let idleRounds = 0;
      (await countEnded(installation, ids)).ended < ids.length && idleRounds < 4_500;
      idleRounds++
    ) {
      await sleep(opened ? 500 : 200)
      if (idleRounds % 50 === 49) log(`${(await countEnded(installation, ids)).ended} of ${ids.length} at their end`)
    }
    const report = await verify(installation, server, ids)
    return { files, kills, seed, ...report, seconds: Math.round((performance.now() - started) / 1000) }
  } finally {
    worker.child.kill('SIGKILL')
    await worker.ended
    await installation.stop()
    await server.close()
  }
}

type RequestedUpload = { id: string; n: number }

/** Sources that are rejected immediately have no upload. */
async function requestUploads(
  { admin }: Installation,
  server: HostileServer,
  files: number,
): Promise<RequestedUpload[]> {
  const requested: RequestedUpload[] = []
  for (let n = 0; n < files; n++) {
    const body = { source: server.fileUrl(n), name: `file-${n}.mp4`, mimeType: 'video/mp4' }
    const { status, json, text } = await admin('POST /upload', { body })
    if (status === 200) requested.push({ id: json.Upload.Id, n })
    else if (status !== 400) throw new Error(text)
  }
  return requested
}

async function countEnded({ admin }: Installation, ids: readonly RequestedUpload[]) {
  const { json } = await admin('GET /upload', { query: 'status=pending&_count=1' })
  return { ended: ids.length - json.Total }
}

const servedChunks = (server: HostileServer, files: number) => {
  let served = 0
  for (let n = 0; n < files; n++) for (const requests of server.requests(n).values()) served += requests.served
  return served
}

async function verify({ admin }: Installation, server: HostileServer, ids: readonly RequestedUpload[]) {
  const counts = { complete: 0, failed: 0, wrong: 0, unexplained: 0, stuck: 0, lostHonest: 0, fetchedAgain: 0 }
  for (const { id, n } of ids) {
    const { Status, LastError, MediaId } = (await admin(`GET /upload/${id}`)).json.Upload
    const isValid = server.files[n]?.manner === 'honest'
    if (Status === 'pending') counts.stuck += 1
    if (Status === 'failed') {
      counts.failed += 1
      if (isValid) counts.lostHonest += 1
      if (!/^\w.{15,}\.$/s.test(LastError ?? '')) counts.unexplained += 1
    }
    if (Status === 'complete') {
      counts.complete += 1
      const { Resource } = (await admin(`GET /media/${MediaId}`)).json.Media
      if ((await digestOf(Resource)) !== server.sha256(n)) counts.wrong += 1
    }
    if (isValid) for (const { served } of server.requests(n).values()) counts.fetchedAgain += Math.max(0, served - 1)
  }
  return counts
}

async function digestOf(url: string): Promise<string> {
  const hash = createHash('sha256')
  const { body } = await fetch(url)
  for await (const chunk of body ?? []) hash.update(chunk)
  return hash.digest('hex')
}

const MiB = 2 ** 20

/** Misbehaviours of the server in a run; endless files are tested separately. */
const testedManners = manners.filter((manner) => manner !== 'endless')

const invalidManners = testedManners.filter((manner) => manner !== 'honest')

/** Slow transfers time out after a minute, too long for a run with 300 files. */
const faults = ['error', 'reset', 'short', 'long', 'wrong-range', 'whole'] as const

const chunkMiB = 10
/** For small runs: a quarter of the files have more than one full chunk. */
const smallFileChunks = [0, 0, 0, 1]

/** Videos of one to three chunks with every misbehaviour, every second one valid; with `lean` every fourth has several chunks, with a small last one. */
function videoFiles(seed: number, count: number, smallFiles = false): HostileFile[] {
  const random = randomness(seed)
  return Array.from({ length: count }, (_, index) => {
    const manner = (smallFiles ? smallFileManner(index) : defaultManner(index)) ?? 'honest'
    const size = MiB + Math.floor(smallFiles ? smallFileBytes(random) : random() * 24 * MiB)
    return { size, manner, faults, validators: 'etag' as const, opening: videoHeader(size) }
  })
}

const defaultManner = (index: number) =>
  index % 2 === 0 ? 'honest' : testedManners[(index >> 1) % testedManners.length]

/** Sixteen files cover every misbehaviour. */
const smallFileManner = (index: number) =>
  index % 4 === 0 ? 'honest' : invalidManners[(index - 1 - (index >> 2)) % invalidManners.length]

const smallFileBytes = (random: () => number) => {
  const full = smallFileChunks[Math.floor(random() * smallFileChunks.length)] ?? 0
  return (full * chunkMiB + random()) * MiB
}

/** A real video, padded with a box that readers skip. */
export function videoHeader(size: number): Buffer {
  const video = mp4()
  const rest = Buffer.alloc(8)
  rest.writeUInt32BE(size - video.length, 0)
  rest.write('free', 4, 'latin1')
  return Buffer.concat([video, rest])
}

const chunkBytes = 10 * 2 ** 20

/** Negative control: a client that trusts the server gets wrong bytes, which the comparison detects. */
export async function controlDownloads({
  files,
  smallFiles,
  seed,
}: {
  files: number
  smallFiles?: true
  seed: number
}) {
  const server = await startHostileServer({ seed, files: videoFiles(seed, files, smallFiles), chunkFailures: 0.3 })
  let wrong = 0
  try {
    for (let n = 0; n < files; n++) {
      if (server.files[n]?.manner !== 'honest') continue
      const hash = createHash('sha256')
      for (let at = 0; at < (server.files[n]?.size ?? 0); at += chunkBytes) {
        const range = `bytes=${at}-${at + chunkBytes - 1}`
        const bytes = await fetch(server.fileUrl(n), { headers: { range } })
          .then((response) => response.arrayBuffer())
          .catch(emptyBuffer)
        hash.update(Buffer.from(bytes))
      }
      if (hash.digest('hex') !== server.sha256(n)) wrong += 1
    }
    return { files, seed, wrong }
  } finally {
    await server.close()
  }
}

const emptyBuffer = () => new ArrayBuffer(0)
