import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterUrl } from './cluster.ts'
import { findHomeFolder } from './home-folder.ts'
import { findOwner } from './owner-claim.ts'
import { findRunningServer } from './postmaster-file.ts'

/** The address of the server that a living Chorus runs in this folder, for a command that works beside it. */
export async function runningServerUrl(folder: string): Promise<string | undefined> {
  if (!existsSync(folder)) return undefined
  const home = await findHomeFolder(folder, () => {})
  const owner = await findOwner(home.folder)
  if (!owner) return undefined
  const server = await findRunningServer(home.cluster)
  if (!server) throw new Error(`Chorus (pid ${owner.pid}) is just starting or stopping; try again in a few seconds.`)
  const password = (await readFile(join(home.folder, 'password'), 'utf8')).trim()
  return clusterUrl({ password }, server.note)
}
