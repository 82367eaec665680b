import { randomBytes } from 'node:crypto'
import { recordAuditEntry } from '#areas/account/audit/audit.ts'
import { type ChangeInstallation, change, systemActor } from '#kernel/change.ts'
import { systemClock } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { type Database, openDatabase } from '#kernel/database/database.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import { openKeyring } from '../process/keys-file.ts'
import { networkApps, optionsOf } from '../process/network-apps.ts'
import { ownAddress, shortAddress } from '../process/outbound-client.ts'
import { joinStorage } from '../process/storage.ts'
import { migrationFolders } from '../project.ts'
import { react } from '../registry.ts'
import type { Settings } from '../settings/settings.ts'
import type { Say } from './command.ts'

interface Access {
  url: string
  database: Database
  keyring: Keyring
  /** Required by commands that write. */
  installation: ChangeInstallation
  now: Date
  /** Reads in one account. */
  see: <Result>(accountId: string, work: (context: Context) => Promise<Result>) => Promise<Result>
  /** Writes in one account, in one transaction; the account's audit log records the operator and the command. */
  act: <Result>(accountId: string, deed: OperatorDeed, work: (context: Context) => Promise<Result>) => Promise<Result>
}

interface OperatorDeed {
  command: string
  /** The changed entity, if known beforehand. */
  id?: string
}

const operator = { by: 'operator', id: '' } as const

/** Opens the database for one command, with or without a running service, and closes it afterwards. */
export async function withDatabase(settings: Settings, say: Say, work: (access: Access) => Promise<void>) {
  const storage = await joinStorage(settings, say)
  try {
    await migrate(storage.url, migrationFolders, say)
    const database = openDatabase({ url: storage.url, connections: 2 })
    const keyring = await openKeyring(settings)
    const addresses = { publicUrl: () => ownAddress(settings), shortUrl: () => shortAddress(settings) }
    const { publishLateness: lateness, accountLimits } = settings
    const installation = {
      database,
      listener: undefined,
      keyring,
      ...addresses,
      lateness,
      accountLimits,
      appOptions: optionsOf(networkApps(settings)),
      react,
      recordAuditEntry,
    }
    const now = systemClock.now()
    try {
      await work({
        url: storage.url,
        database,
        keyring,
        installation,
        now,
        see: (accountId, work) => change(installation, systemActor(accountId, now), work),
        act(accountId, { command, id }, work) {
          const actor = {
            ...systemActor(accountId, now),
            via: operator,
            auditEntry: { operation: command, fields: [] },
          }
          return change(installation, actor, (context) => {
            if (id !== undefined) context.about({ id })
            return work(context)
          })
        },
      })
    } finally {
      await database.close()
    }
  } finally {
    await storage.close()
  }
}

/** A generated password: 96 random bits. */
export const newPassword = () => randomBytes(12).toString('base64url')
