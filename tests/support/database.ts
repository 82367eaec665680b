import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { databaseAt } from './database-url.ts'
import { template } from './server.ts'

/** A migrated, empty database of one's own; copying the template takes milliseconds. */
export async function freshDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const serverUrl = inject('serverUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await ownerQuery(serverUrl, `create database ${name} template ${template}`)
  return {
    url: databaseAt(serverUrl, name),
    drop: async () => {
      await ownerQuery(serverUrl, `drop database if exists ${name} with (force)`)
    },
  }
}
