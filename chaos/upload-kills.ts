import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type HostileServer, startHostileServer } from '#areas/media/download/hostile-server.fixture.ts'
import { randomness } from '../tests/support/randomness.ts'
import { type Installation, type InstallationOptions, openInstallation } from './installation.ts'
import { videoFiles } from './upload-files.ts'

interface KillOptions extends Pick<InstallationOptions, 'small' | 'opened'> {
  files: number
  /** With smaller files. */
  lean?: true
  kills: number
  seed: number
  say?: (line: string) => void
}

export interface UploadReport {
  files: number
  kills: number
  seed: number
  complete: number
  failed: number
  /** Complete, but not with the bytes of the source. */
  wrong: number
  /** Failed without a sentence that says why. */
  unexplained: number
  /** Neither complete nor failed in the end. */
  stuck: number
  /** Honest files that failed though every chunk has six tries. */
  lostHonest: number
  /** Chunks of honest files that were sent well and asked for again all the same. */
  fetchedAgain: number
  seconds: number
}

/** How many downloads a worker has under way. */
export const downloadsAtOnce = 4

/** Kills the worker again and again while it downloads from a server that does everything wrong; then compares every byte. */
export async function uploadKills(options: KillOptions): Promise<UploadReport> {
  const { files, lean, kills, seed, small, opened, say = () => {} } = options
  const begun = performance.now()
  const chance = randomness(seed)
  const server = await startHostileServer({ seed, files: videoFiles(seed, files, lean), chunkFailures: 0.3 })
  const installation = await openInstallation({ small, opened })
  let worker = await installation.startWorker()
  try {
    const ids = await order(installation, server, files)
    for (let kill = 1; kill <= kills; kill++) {
      const before = answered(server, files)
      // A fresh worker first waits for the lease of the one before.
      for (let waited = 0; answered(server, files) < before + 4 && waited < 120_000; waited += 20) await sleep(20)
      await sleep(chance() * 1_500)
      worker.child.kill('SIGKILL')
      await worker.ended
      const { ended } = await ends(installation, ids)
      say(`kill ${kill} of ${kills}: ${ended} of ${ids.length} at their end`)
      worker = await installation.startWorker()
    }
    for (let quiet = 0; (await ends(installation, ids)).ended < ids.length && quiet < 4_500; quiet++) {
      await sleep(opened ? 500 : 200)
      if (quiet % 50 === 49) say(`${(await ends(installation, ids)).ended} of ${ids.length} at their end`)
    }
    const report = await judge(installation, server, ids)
    return { files, kills, seed, ...report, seconds: Math.round((performance.now() - begun) / 1000) }
  } finally {
    worker.child.kill('SIGKILL')
    await worker.ended
    await installation.stop()
    await server.close()
  }
}

type Ordered = { id: string; n: number }

/** Sources that are refused at once, such as one that is not there, have no upload. */
async function order({ admin }: Installation, server: HostileServer, files: number): Promise<Ordered[]> {
  const ordered: Ordered[] = []
  for (let n = 0; n < files; n++) {
    const body = { source: server.fileUrl(n), name: `file-${n}.mp4`, mimeType: 'video/mp4' }
    const { status, json, text } = await admin('POST /upload', { body })
    if (status === 200) ordered.push({ id: json.Upload.Id, n })
    else if (status !== 400) throw new Error(text)
  }
  return ordered
}

async function ends({ admin }: Installation, ids: readonly Ordered[]) {
  const { json } = await admin('GET /upload', { query: 'status=pending&_count=1' })
  return { ended: ids.length - json.Total }
}

const answered = (server: HostileServer, files: number) => {
  let served = 0
  for (let n = 0; n < files; n++) for (const asked of server.asked(n).values()) served += asked.served
  return served
}

async function judge({ admin }: Installation, server: HostileServer, ids: readonly Ordered[]) {
  const counts = { complete: 0, failed: 0, wrong: 0, unexplained: 0, stuck: 0, lostHonest: 0, fetchedAgain: 0 }
  for (const { id, n } of ids) {
    const { Status, LastError, MediaId } = (await admin(`GET /upload/${id}`)).json.Upload
    const honest = server.files[n]?.manner === 'honest'
    if (Status === 'pending') counts.stuck += 1
    if (Status === 'failed') {
      counts.failed += 1
      if (honest) counts.lostHonest += 1
      if (!/^\w.{15,}\.$/s.test(LastError ?? '')) counts.unexplained += 1
    }
    if (Status === 'complete') {
      counts.complete += 1
      const { Resource } = (await admin(`GET /media/${MediaId}`)).json.Media
      if ((await digestOf(Resource)) !== server.sha256(n)) counts.wrong += 1
    }
    if (honest) for (const { served } of server.asked(n).values()) counts.fetchedAgain += Math.max(0, served - 1)
  }
  return counts
}

async function digestOf(url: string): Promise<string> {
  const hash = createHash('sha256')
  const { body } = await fetch(url)
  for await (const chunk of body ?? []) hash.update(chunk)
  return hash.digest('hex')
}
