import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity.ts'

const attempts = 5
const claimedHere = new Set<string>()

/**
 * Makes this process the only owner of the folder and returns the function that gives it up.
 * Each claimant writes a file of its own and withdraws when it then sees a living rival, so two can never both win;
 * claims of dead processes are ignored and removed.
 */
export async function claimOwnership(folder: string): Promise<() => Promise<void>> {
  if (claimedHere.has(folder)) throw new Error(`this process already runs the database in ${folder}`)
  claimedHere.add(folder)
  try {
    const claim = await writeClaim(folder)
    return once(async () => {
      claimedHere.delete(folder)
      await rm(claim, { force: true })
    })
  } catch (error) {
    claimedHere.delete(folder)
    throw error
  }
}

/** Another living process that has claimed the folder; claims of dead ones are removed on the way. */
export async function findOwner(folder: string): Promise<ProcessIdentity | undefined> {
  for (const name of await readdir(folder)) {
    const [, pid, began] = /^owner-(\d+)-(.+)$/.exec(name) ?? []
    if (!pid || !began || Number(pid) === process.pid) continue
    const owner = { pid: Number(pid), began }
    if (await isRunning(owner)) return owner
    await rm(join(folder, name), { force: true })
  }
  return undefined
}

async function writeClaim(folder: string): Promise<string> {
  const self = await identifyProcess(process.pid)
  const claim = join(folder, `owner-${process.pid}-${self?.began}`)
  let rival: ProcessIdentity | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    rival = await findOwner(folder)
    if (!rival) {
      await writeFile(claim, '')
      rival = await findOwner(folder)
      if (!rival) return claim
      await rm(claim, { force: true })
    }
    // Two that start at the same moment both withdraw; chance lets one of them come first next time.
    await sleep(20 + Math.random() * 100)
  }
  throw new Error(`another Chorus (pid ${rival?.pid}) is using this data folder; stop it or set CHORUS_DATA_DIR`)
}

function once(action: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= action()
    return done
  }
}
