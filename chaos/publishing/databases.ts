import { openServer } from '../server.ts'

/** Gives databases that are migrated. */
export interface Databases {
  /** Empty but for a demo workspace somebody may have seen to. */
  fresh(): Promise<{ url: string; demo?: KnownDemo; drop(): Promise<void> }>
  empty(): Promise<{ url: string; drop(): Promise<void> }>
  stop(): Promise<void>
}

/** What a process needs to serve a demo workspace that is there already. */
interface KnownDemo {
  /** The admin's. */
  key: string
  keyring: string
  /** Where its files are. */
  folder: string
}

/** Each run has its own server, or the cluster's. */
export async function openDatabases(): Promise<Databases> {
  const { database, stop } = await openServer()
  return { empty: database, fresh: database, stop }
}
