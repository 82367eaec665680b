import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identifyProcess, isRunning } from '../database/embedded/process-identity.ts'
import { conflict } from '../errors.ts'

const claimedHere = new Set<string>()

/**
 * Makes the caller the only one who writes a file, among all processes on this machine, and returns the function that
 * lets it go. Each claimant leaves a file of its own and withdraws when it then sees a living rival, so two never both win.
 */
export async function claimFile(folder: string, name: string): Promise<() => Promise<void>> {
  const path = join(folder, name)
  const claim = `${path}.claim-${process.pid}-${await ownBeginning()}`
  if (claimedHere.has(path)) throw busy()
  claimedHere.add(path)
  const release = async () => {
    // First the file: another claim of this process would have the same.
    await rm(claim, { force: true }).finally(() => claimedHere.delete(path))
  }
  try {
    await writeFile(claim, '', { mode: 0o600 })
    if (await hasRival(folder, name)) throw busy()
    return release
  } catch (error) {
    await release()
    throw error
  }
}

/** Whether another process that lives has claimed the file; claims of dead ones are removed on the way. */
export async function hasRival(folder: string, name: string): Promise<boolean> {
  const start = `${name}.claim-`
  for (const entry of (await readdir(folder)).filter((entry) => entry.startsWith(start))) {
    const [, pid, began] = /^(\d+)-(.+)$/.exec(entry.slice(start.length)) ?? []
    if (!pid || !began || (Number(pid) === process.pid && began === (await ownBeginning()))) continue
    if (await isRunning({ pid: Number(pid), began })) return true
    await rm(join(folder, entry), { force: true })
  }
  return false
}

let known: Promise<string> | undefined

function ownBeginning(): Promise<string> {
  known ??= identifyProcess(process.pid).then((self) => self?.began ?? 'unknown')
  return known
}

const busy = () => conflict('Another piece of this file is being written; wait until it is done, then continue.')
